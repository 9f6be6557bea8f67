import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller, Testbed } from '../../support/matrix/testbed.ts';

const managers = ['owner', 'organization token', 'manage-membership', 'manage-teams', 'manage-organization-access'];
const manages = ({ rows }: Caller): boolean => managers.some((row) => rows.includes(row));

interface Row {
  readonly id: string;
  readonly attributes: { readonly username: string };
}

/** Lists all memberships as an owner. */
const everybody = async (testbed: Testbed): Promise<readonly Row[]> =>
  (await testbed.sendAsOwner('memberships.list', { query: 'page[size]=100' })).body.data;

let made = 0;
/** Creates a user whose only membership is an invitation by an owner. */
const invited = ({ testbed }: Trial, team?: 'owners'): Promise<string> =>
  testbed.createOnce(team ?? 'nothing', async () => {
    const username = `invited-${++made}`;
    await testbed.admin('create-user', { username, email: `${username}@example.com` });
    const body = invitation({ username }, team && (await ownersOf(testbed)));
    return (await testbed.sendAsOwner('memberships.create', { body })).body.data.id;
  });
const ownersOf = async ({ admin, organization }: Testbed): Promise<string> =>
  (await admin('update-team', { organization, name: 'owners' })).team.id;
const invitation = (attributes: object, team?: string) => ({
  data: {
    type: 'organization-memberships',
    attributes,
    ...(team && { relationships: { teams: { data: [{ type: 'teams', id: team }] } } }),
  },
});

const on = (team?: 'owners') => async (trial: Trial) =>
  trial.send({ parameters: { membership_id: await invited(trial, team) } });

/** Memberships: members can read their own, and `manage-membership` all of them. Only owners manage owners. */
export const group = matrixGroup({
  name: 'memberships',
  columns: {
    list: {
      routes: ['memberships.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: async ({ testbed }) => (await everybody(testbed)).map(({ id }) => id),
        own: async ({ testbed, caller }) =>
          (await everybody(testbed))
            .filter(({ attributes }) => attributes.username === caller.user?.username)
            .map(({ id }) => id),
        none: () => [],
      },
    },
    'list own': {
      routes: ['memberships.list-own'],
      seenBy: 'everybody',
      shows: {
        own: async ({ testbed, caller }) =>
          (await everybody(testbed))
            .filter(({ attributes }) => attributes.username === caller.user?.username)
            .map(({ id }) => id),
        other: async ({ testbed, caller }) =>
          (
            await testbed.call('memberships.list', caller.token, {
              parameters: { organization_name: testbed.otherOrganization },
            })
          ).body.data.map(({ id }: Row) => id),
        none: () => [],
      },
    },
    invite: {
      routes: ['memberships.create'],
      seenBy: 'members',
      attempt: ({ send }) => send({ body: invitation({ email: `mail-${++made}@example.com` }) }),
    },
    'invite an owner': {
      routes: ['memberships.create'],
      seenBy: 'members',
      attempt: async ({ testbed, send }) => {
        const owners = await testbed.createOnce('their id', () => ownersOf(testbed));
        await send({ body: invitation({ email: `mail-${++made}@example.com` }, owners) });
      },
    },
    show: { routes: ['memberships.show'], seenBy: manages, attempt: on() },
    remove: { routes: ['memberships.delete'], seenBy: manages, attempt: on() },
    'remove an owner': { routes: ['memberships.delete'], seenBy: manages, attempt: on('owners') },
  },
  table: `
                               | list     | own       | invite owner | show | remove owner
    owner                      | 200:all  | 200:own   | 201    201   | 200  | 204    204
    organization token         | 200:all  | 200:none  | 201    404   | 200  | 204    404
    manage-organization-access | 200:all  | 200:own   | 201    404   | 200  | 204    404
    manage-teams               | 200:all  | 200:own   | 201    404   | 200  | 204    404
    manage-membership          | 200:all  | 200:own   | 201    404   | 200  | 204    404
    team token with no access  | 200:none | 200:none  | .      .     | .    | .      .
    team token                 | 200:none | 200:none  | .      .     | .    | .      .
    anyone                     | 200:own  | 200:own   | 404    404   | 404  | 404    404
    owners team token          | 200:all  | 200:none  | 201    201   | 200  | 204    204
    outsider                   | 404      | 200:none  | 404    404   | 404  | 404    404
    another organization's owner | . | 200:other | .      .     | .    | .      .
    audit trail token            | . | 404       | .      .     | .    | .      .
    no valid token             | 401      | 401       | 401    401   | 401  | 401    401
  `,
});
