/** Client of `terraform login` and `tofu login`: both have the id that service discovery names (LOGIN-1). */
export const LOGIN_CLIENT = 'terraform-cli';

/** Ports on which the command line may wait for the browser. Terraform leaves out the last one. */
export const LOGIN_PORTS = [10_000, 10_010] as const;

/** Form of the challenge: a SHA-256 in base64url (RFC 7636). */
export const CHALLENGE = '^[A-Za-z0-9_-]{43}$';

/** Longest state, in characters. The command lines send a UUID. */
export const LONGEST_STATE = 512;

/** Path of the consent page of the console. */
export const CONSENT_PAGE = '/app/settings/login';

/** Request of a command line for a token, with what of it is not fixed. */
export interface LoginRequest {
  readonly port: number;
  readonly state: string;
  readonly challenge: string;
}

/** Builds the address to which the browser returns: that of the command line on the same machine (LOGIN-3). */
export const loginRedirect = (port: number): string => `http://localhost:${port}/login`;

const [FIRST, LAST] = LOGIN_PORTS;

const portOf = (redirect: string | undefined): number | undefined => {
  const port = Number(/^http:\/\/localhost:(\d{5})\/login$/.exec(redirect ?? '')?.[1]);
  return port >= FIRST && port <= LAST ? port : undefined;
};

/**
 * Reads the authorization request of a command line.
 * @returns the request, or a sentence about what is wrong with it.
 */
export const readLoginRequest = (query: URLSearchParams): LoginRequest | string => {
  const names = [...query.keys()];
  const repeated = ['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method'];
  const twice = repeated.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) return `The parameter ${twice} is there twice.`;
  const get = (name: string): string | undefined => query.get(name) ?? undefined;
  if (get('client_id') !== LOGIN_CLIENT) return `client_id must be ${LOGIN_CLIENT}.`;
  const port = portOf(get('redirect_uri'));
  if (port === undefined) return `redirect_uri must be ${loginRedirect(FIRST)}, with a port from ${FIRST} to ${LAST}.`;
  if (get('response_type') !== 'code') return 'response_type must be code.';
  if (get('code_challenge_method') !== 'S256') return 'code_challenge_method must be S256.';
  const challenge = get('code_challenge') ?? '';
  if (!new RegExp(CHALLENGE).test(challenge)) return 'code_challenge must be a SHA-256 in base64url.';
  const state = get('state') ?? '';
  if (state === '' || state.length > LONGEST_STATE) return `state must have 1 to ${LONGEST_STATE} characters.`;
  return { port, state, challenge };
};
