import { PlainError } from '../gateway/plain-error.ts';
import type { Functions } from '../lambda/functions.ts';
import { type AdminAnswer, adminFunctionIn, refusalIn } from './admin-function.ts';
import type { LocalAccess } from './data-folder.ts';

/** The organization that a first start makes, so that the first request of a newcomer has something to work on. */
const createDemo = { command: 'create-organization', name: 'demo', email: 'owner@example.com' } as const;

/**
 * Makes the demo organization.
 * @returns its name and the owner's token; no token when the organization was already there, as it is shown only once.
 */
export const makeDemo = async (functions: Functions): Promise<Omit<LocalAccess, 'baseUrl'>> => {
  const admin = adminFunctionIn(functions.names);
  if (admin === undefined) return {};
  const outcome = await functions.invoke(admin, JSON.stringify(createDemo));
  const answer = outcome.kind === 'answered' ? (JSON.parse(outcome.payload) as AdminAnswer) : undefined;
  const problem = outcome.kind === 'failed' ? outcome.errorMessage : refusalIn(answer ?? null);
  if (problem !== undefined) throw new PlainError(`The demo organization could not be made: ${problem}`);
  if (!answer?.organization) return {};
  return { organization: createDemo.name, ...(answer.token !== undefined && { token: answer.token }) };
};
