import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import { beginDeviceLogin } from '../../support/sign-in/device-logins.ts';

const body = { port: 10_000, state: 's', code_challenge: 'c'.repeat(43) };

/** Logins of the command line: every user may allow one, and no other token. The first request has no caller. */
export const group = matrixGroup({
  name: 'logins',
  columns: {
    authorize: { routes: ['oauth2.authorize'], seenBy: () => false },
    'show consent': { routes: ['oauth2.show-consent'], seenBy: () => false },
    consent: {
      routes: ['oauth2.consent'],
      seenBy: () => false,
      attempt: async ({ send }: Trial) => {
        await send({ body });
      },
    },
    'begin device': { routes: ['oauth2.device'], seenBy: () => false, attempt: ({ send }: Trial) => send({}) },
    'show device': {
      routes: ['oauth2.show-device'],
      seenBy: () => false,
      attempt: async ({ testbed, send }: Trial) => {
        await send({ body: { user_code: (await beginDeviceLogin(testbed.api)).code } });
      },
    },
    'decide device': {
      routes: ['oauth2.decide-device'],
      seenBy: () => false,
      attempt: async ({ testbed, send }: Trial) => {
        await send({ body: { user_code: (await beginDeviceLogin(testbed.api)).code, decision: 'allow' } });
      },
    },
  },
  table: `
                                 | authorize | show consent | consent | begin show decide device
    team token                   | 400       | 403          | 403     | 400   403  403
    organization token           | 400       | 403          | 403     | 400   403  403
    another organization's token | 400       | 403          | 403     | 400   403  403
    site administrator           | 400       | 403          | 403     | 400   403  403
    run                          | 400       | 403          | 403     | 400   403  403
    audit trail token            | 400       | 404          | 404     | 400   404  404
    no valid token               | 400       | 401          | 401     | 400   401  401
    anyone                       | 400       | 200          | 200     | 400   200  200
  `,
});
