import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityProvider } from '../../../shared/domain/identity-providers.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';

/** Creates an identity provider with the defaults of the setting. */
const provider = (
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

let api: Api;
beforeAll(async () => {
  api = await startApi({
    ...CACHED,
    identityProviders: [
      provider({
        name: 'keycloak',
        label: 'Acme',
        issuer: 'https://login.example.com',
        secretParameter: '/holdfast/keycloak',
      }),
      provider({ name: 'other', issuer: 'https://other.example.com' }),
    ],
  });
});
afterAll(() => api.stop());

test('lists identity providers in the order of the settings, with nothing but what the sign-in page shows', async () => {
  const reply = await api.request('GET', '/sign-in/providers', { headers: { host: 'evil.example' } });
  expect(reply.status).toBe(200);
  expect(reply.body.data).toEqual([
    {
      id: 'keycloak',
      type: 'identity-providers',
      attributes: { name: 'keycloak', label: 'Acme', 'sign-in-url': 'http://holdfast.test/sign-in/keycloak' },
    },
    {
      id: 'other',
      type: 'identity-providers',
      attributes: { name: 'other', label: 'other', 'sign-in-url': 'http://holdfast.test/sign-in/other' },
    },
  ]);
});
