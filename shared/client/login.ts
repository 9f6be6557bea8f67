import { apiRequest } from './request.ts';

/** Describes the request for the expiry of a token that the caller may allow (LOGIN-4). */
export const showConsent = () => apiRequest('get', '/oauth2/consent', {});

/** Request of a command line, as the address of the consent page has it. */
export interface LoginSearch {
  readonly port: number;
  readonly state: string;
  readonly code_challenge: string;
}

/** Describes the consent to a login. The response has the address of the command line, with a code. */
export const allowLogin = ({ port, state, code_challenge }: LoginSearch) =>
  apiRequest('post', '/oauth2/consent', { body: { port, state, code_challenge } });
