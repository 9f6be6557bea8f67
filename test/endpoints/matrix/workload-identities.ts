import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

/** Id of a team that is visible to the organization. */
interface Fixture {
  readonly team: string;
}

let made = 0;
const document = (attributes: object, relationships?: object) => ({
  data: { type: 'workload-identities', attributes, ...(relationships && { relationships }) },
});
const newIdentity = ({ team }: Fixture) => {
  const conditions = [{ claim: '/sub', equals: ['x'] }];
  const attributes = { name: `made-${++made}`, issuer: 'https://issuer.example.com', conditions };
  return document(attributes, { team: { data: { type: 'teams', id: team } } });
};
const one = ({ testbed, fixture }: Trial<Fixture>): Promise<string> =>
  testbed.createOnce('a workload identity', async () => {
    const { body } = await testbed.sendAsOwner('workload-identities.create', { body: newIdentity(fixture) });
    return body.data.id;
  });
const on =
  (request: object = {}) =>
  async (trial: Trial<Fixture>): Promise<void> => {
    await trial.send({ parameters: { workload_identity_id: await one(trial) }, ...request });
  };

/** Workload identities: callers who may manage the tokens of teams manage them. The endpoints of OAuth 2.0 have no callers. */
export const group = matrixGroup<Fixture>({
  name: 'workload identities',
  prepare: async ({ admin, organization }) => {
    const { team } = await admin('create-team', { organization, name: 'pipelines', visibility: 'organization' });
    return { team: team.id };
  },
  columns: {
    list: { routes: ['workload-identities.list'], seenBy: 'members' },
    create: {
      routes: ['workload-identities.create'],
      seenBy: 'members',
      attempt: async ({ fixture, send }) => {
        await send({ body: newIdentity(fixture) });
      },
    },
    show: { routes: ['workload-identities.show'], seenBy: 'members', attempt: on() },
    update: {
      routes: ['workload-identities.update'],
      seenBy: 'members',
      attempt: on({ body: document({ enabled: true }) }),
    },
    delete: { routes: ['workload-identities.delete'], seenBy: 'members', attempt: on() },
    test: {
      routes: ['workload-identities.test'],
      seenBy: 'members',
      attempt: on({ body: { data: { attributes: { 'subject-token': 'no token' } } } }),
    },
    exchange: { routes: ['oauth2.token', 'oauth2.revoke'], seenBy: () => false },
  },
  table: `
                               | list | create show update delete | test | exchange
    owner                      | 200  | 201    200  200    204    | 200  | 400
    organization token         | 200  | 201    200  200    204    | 200  | 400
    manage-teams               | 200  | 201    200  200    204    | 200  | 400
    manage-organization-access | 200  | 201    200  200    204    | 200  | 400
    anyone                     | 404  | 404    404  404    404    | 404  | 400
    outsider                   | 404  | 404    404  404    404    | 404  | 400
    no valid token             | 401  | 401    401  401    401    | 401  | 400
  `,
});
