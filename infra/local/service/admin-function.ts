import { PlainError } from '../../command-line.ts';
import type { Functions } from '../lambda/functions.ts';
import type { LocalAccess } from './data-folder.ts';

/** Response of the admin function, or the error of Lambda when the function failed. */
export type AdminResponse = {
  readonly organization?: object;
  /** The token of a new organization. It is returned only once. */
  readonly token?: string;
  /** Address of a sign-in link. */
  readonly url?: string;
  /** Amount of work that a long job has left; 0 when it is complete. */
  readonly left?: number;
  /** Start of the next part, if the response is a part of the result. */
  readonly cursor?: string;
  readonly errors?: readonly { readonly title?: string; readonly detail?: string }[];
  readonly errorMessage?: string;
  readonly message?: string;
} | null;

/** Finds the name of the admin function of a deployment. */
export const findAdminFunction = (names: readonly string[]): string | undefined =>
  names.find((name) => /(^|-)admin$/.test(name));

/** Joins the details of the errors of a response; returns undefined when there are no errors. */
export const joinErrors = (response: AdminResponse): string | undefined =>
  response?.errors?.map(({ detail, title }) => detail ?? title).join('; ');

/** Command for the organization that the first start creates, so that a newcomer can send requests at once. */
const createDemo = { command: 'create-organization', name: 'demo', email: 'owner@example.com' } as const;

/**
 * Sends a command to the admin function of this process.
 * @returns undefined when the app has no admin function.
 * @throws PlainError when the admin function fails.
 */
const invokeAdmin = async (
  functions: Functions,
  command: { readonly command: string } & Readonly<Record<string, string>>,
): Promise<AdminResponse | undefined> => {
  const admin = findAdminFunction(functions.names);
  if (admin === undefined) return undefined;
  const outcome = await functions.invoke(admin, JSON.stringify(command));
  const response = outcome.kind === 'succeeded' ? (JSON.parse(outcome.payload) as AdminResponse) : undefined;
  const problem = outcome.kind === 'failed' ? outcome.errorMessage : joinErrors(response ?? null);
  if (problem !== undefined) throw new PlainError(`The command ${command.command} failed: ${problem}`);
  return response;
};

/**
 * Creates the demo organization.
 * @returns its name and the token of its owner. The token is missing when the organization existed already, because a
 * token is returned only once.
 * @throws PlainError when the admin function fails.
 */
export const createDemoOrganization = async (functions: Functions): Promise<Omit<LocalAccess, 'baseUrl'>> => {
  const response = await invokeAdmin(functions, createDemo);
  if (!response?.organization) return {};
  return { organization: createDemo.name, ...(response.token !== undefined && { token: response.token }) };
};

/**
 * Creates a link that signs a user in to the console. It works once, for ten minutes (SIGNIN-13).
 * @throws PlainError when the admin function fails.
 */
export const createSignInLink = async (functions: Functions, username: string): Promise<string | undefined> =>
  (await invokeAdmin(functions, { command: 'sign-in-link', username }))?.url;
