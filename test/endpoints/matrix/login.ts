import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

/** Begins the login of a machine, as a write of the preparation. @returns the code of the person. */
const beginLogin = async ({ call }: Trial['testbed']): Promise<string> => {
  const form = new URLSearchParams({ client_id: 'terraform-cli' }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { body: codes } = await call('oauth2.device', undefined, { body: form as never, headers });
  return codes.user_code;
};

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
        await send({ body: { user_code: await beginLogin(testbed) } });
      },
    },
    'decide device': {
      routes: ['oauth2.decide-device'],
      seenBy: () => false,
      attempt: async ({ testbed, send }: Trial) => {
        await send({ body: { user_code: await beginLogin(testbed), decision: 'allow' } });
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
