import { BASE_PATH } from './api.ts';
import { type Routes, required, routesOf } from './route.ts';

const { get, post, remove } = routesOf('sign-in');

const oauth = { authenticated: false, oauth: true, headers: { 'content-type': 'application/json' } } as const;

/** OAuth 2.0 endpoints, at the root of the host (docs/reference/workload-identities.md, docs/reference/sign-in.md). */
export const oauth2 = {
  'oauth2.authorize': get('/oauth2/authorize', 307, { authenticated: false, page: true }),
  'oauth2.show-consent': get('/oauth2/consent', 200, { headers: oauth.headers }),
  'oauth2.consent': post('/oauth2/consent', 200, { headers: oauth.headers, body: required('loginConsent') }),
  'oauth2.token': post('/oauth2/token', 200, { ...oauth, body: required('tokenGrant') }),
  'oauth2.device': post('/oauth2/device', 200, { ...oauth, body: required('deviceRequest') }),
  'oauth2.show-device': post('/oauth2/device/show', 200, { headers: oauth.headers, body: required('userCode') }),
  'oauth2.decide-device': post('/oauth2/device/decision', 200, {
    headers: oauth.headers,
    body: required('deviceDecision'),
  }),
  'oauth2.revoke': post('/oauth2/revoke', 200, { ...oauth, body: required('tokenRevocation') }),
} satisfies Routes;

/** Sign-in of people at identity providers, at the root of the host (docs/reference/sign-in.md). */
export const signIn = {
  'sign-in.providers': get('/sign-in/providers', 200, { authenticated: false }),
  'sign-in.session': post('/sign-in/session', 200, { authenticated: false, headers: oauth.headers }),
  'sign-in.end': remove('/sign-in/session', 200, { authenticated: false, headers: oauth.headers }),
  'sign-in.link': post('/sign-in/link', 200, {
    authenticated: false,
    headers: oauth.headers,
    body: required('signInLink'),
  }),
  'sign-in.start': get('/sign-in/{provider_name}', 307, { authenticated: false, page: true }),
  'sign-in.callback': get('/sign-in/{provider_name}/callback', 307, { authenticated: false, page: true }),
  'sign-in.logout': post('/sign-in/{provider_name}/logout', 200, { ...oauth, body: required('backchannelLogout') }),
} satisfies Routes;

/** Tests of identity tokens, which reads the keys of their issuers (docs/reference/workload-identities.md). */
export const identityTests = {
  'workload-identities.test': post(`${BASE_PATH}/workload-identities/{workload_identity_id}/actions/test`, 200, {
    body: required('workloadIdentityTest'),
  }),
} satisfies Routes;
