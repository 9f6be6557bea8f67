import { PlainError } from '../common/plain-error.ts';
import type { Functions } from '../lambda/functions.ts';
import { type AdminResponse, findAdminFunction, joinErrors } from './admin-function.ts';
import type { LocalAccess } from './data-folder.ts';

/** Command for the organization that the first start creates, so that a newcomer can send requests at once. */
const createDemo = { command: 'create-organization', name: 'demo', email: 'owner@example.com' } as const;

/**
 * Creates the demo organization.
 * @returns its name and the token of its owner. The token is missing when the organization existed already, because a
 * token is returned only once.
 * @throws PlainError when the admin function fails.
 */
export const createDemoOrganization = async (functions: Functions): Promise<Omit<LocalAccess, 'baseUrl'>> => {
  const admin = findAdminFunction(functions.names);
  if (admin === undefined) return {};
  const outcome = await functions.invoke(admin, JSON.stringify(createDemo));
  const response = outcome.kind === 'succeeded' ? (JSON.parse(outcome.payload) as AdminResponse) : undefined;
  const problem = outcome.kind === 'failed' ? outcome.errorMessage : joinErrors(response ?? null);
  if (problem !== undefined) throw new PlainError(`The demo organization could not be created: ${problem}`);
  if (!response?.organization) return {};
  return { organization: createDemo.name, ...(response.token !== undefined && { token: response.token }) };
};
