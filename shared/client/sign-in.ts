import { apiRequest } from './request.ts';
import type { Schemas } from './types.ts';

export type IdentityProvider = Schemas['IdentityProvider'];

/** Describes the request of the identity providers of the deployment, which needs no token (SIGNIN-1). The list is complete. */
export const listIdentityProviders = () => apiRequest('get', '/sign-in/providers', {});

/** Describes the request of a token of the session in the cookie of the browser (SIGNIN-9). */
export const createSessionToken = () => apiRequest('post', '/sign-in/session', {});

/** Describes the end of the session in the cookie of the browser (SIGNIN-10). */
export const endBrowserSession = () => apiRequest('delete', '/sign-in/session', {});

/** Describes the request that signs in with a link of an operator (SIGNIN-13). @param link the part after the #. */
export const takeSignInLink = (link: string) => apiRequest('post', '/sign-in/link', { body: { link } });
