import { expect } from 'vitest';
import type { IdentityProvider } from '../../../shared/domain/identity-providers.ts';
import type { Api, ApiResponse } from '../api/api.ts';

/** Origin of the API of endpoint tests. */
export const ORIGIN = 'http://holdfast.test';

/** Creates the settings of an identity provider, with the defaults of a deployment. */
export const identityProvider = (
  settings: Partial<IdentityProvider> & Pick<IdentityProvider, 'name' | 'issuer'>,
): IdentityProvider => ({
  label: settings.name,
  clientId: 'holdfast',
  clientAuthentication: 'none',
  scopes: 'openid profile email',
  usernameClaim: 'preferred_username',
  emailClaim: 'email',
  groupsClaim: 'groups',
  trustedEmailDomains: [],
  requiredGroups: [],
  ...settings,
});

/** Returns the cookies that a response sets, as the header of the next request has them. */
export const cookiesOf = ({ cookies = [] }: ApiResponse): string => cookies.map((one) => one.split(';')[0]).join('; ');

/** Starts a sign-in. @returns the authorization request, and the cookie of the browser. */
export const startSignIn = async (api: Api, provider: string, to = '/app/acme/workspaces') => {
  const reply = await api.request('GET', `/sign-in/${provider}?to=${encodeURIComponent(to)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(307);
  return { authorization: new URL(reply.headers['location'] ?? ''), cookie: cookiesOf(reply) };
};

/** Requests the address to which an identity provider sends a browser back. */
export const comeBack = (api: Api, { pathname, search }: URL, cookie: string): Promise<ApiResponse> =>
  api.request('GET', pathname + search, { headers: { cookie } });

/** Headers of a request that a page of the deployment sends with a cookie. */
export const fromPage = (cookie: string) => ({ cookie, origin: ORIGIN, 'sec-fetch-site': 'same-origin' });

/** Requests a token of a session, as the console does. */
export const requestToken = (api: Api, cookie: string): Promise<ApiResponse> =>
  api.request('POST', '/sign-in/session', { headers: fromPage(cookie) });
