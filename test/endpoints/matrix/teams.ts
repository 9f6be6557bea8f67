import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller, Testbed } from '../../support/matrix/testbed.ts';

let made = 0;
const document = (attributes: object) => ({ data: { type: 'teams', attributes } });
const make = async ({ testbed }: Trial, visibility: 'secret' | 'organization' = 'organization'): Promise<string> => {
  const body = document({ name: `team-of-${++made}`, visibility });
  return (await testbed.sendAsOwner('teams.create', { body })).body.data.id;
};
const owners = async ({ testbed }: Trial): Promise<string> =>
  (await testbed.admin('update-team', { organization: testbed.organization, name: 'owners' })).team.id;

/** Sends the request for a team that an owner has created. */
const onTeam =
  (body?: object, visibility?: 'secret') =>
  async (trial: Trial): Promise<void> => {
    const team_id = await trial.testbed.createOnce(visibility ?? 'a team', () => make(trial, visibility));
    await trial.send({ parameters: { team_id }, ...(body && { body }) });
  };

/** Sends the request for a team and a user who is not a member of it. */
const onTeamAbout =
  (body: (somebody: Somebody) => object, team = make) =>
  async (trial: Trial): Promise<void> => {
    const { team_id, somebody } = await trial.testbed.createOnce(`${team.name} and somebody`, async () => ({
      team_id: await team(trial),
      somebody: await makeSomebody(trial),
    }));
    await trial.send({ parameters: { team_id }, body: body(somebody) });
  };

/** The owners team is secret: other callers get a 404 without a detail. */
const knowsOwners = ({ rows }: Caller): boolean =>
  ['owner', 'organization token', 'manage-teams', 'access-secret-teams'].some((row) => rows.includes(row));

interface Row {
  readonly id: string;
  readonly attributes: { readonly visibility: string };
}
const everything = async (testbed: Testbed): Promise<readonly Row[]> =>
  (await testbed.sendAsOwner('teams.list', { query: 'page[size]=100' })).body.data;

/** Member of the organization whose teams give no permissions. */
interface Somebody {
  readonly username: string;
  readonly membership: string;
}
const makeSomebody = async ({ testbed }: Trial): Promise<Somebody> => {
  const username = `player-${++made}`;
  await testbed.admin('create-user', { username, email: `${username}@example.com` });
  const body = { data: { type: 'organization-memberships', attributes: { username } } };
  return { username, membership: (await testbed.sendAsOwner('memberships.create', { body })).body.data.id };
};
const user = ({ username }: Somebody) => ({ data: [{ type: 'users', id: username }] });
const membership = ({ membership: id }: Somebody) => ({ data: [{ type: 'organization-memberships', id }] });

interface MembershipRow {
  readonly id: string;
  readonly attributes: { readonly username: string };
}
/** Creates a team that everybody may see, with all members of the organization, and returns their memberships. */
const crowd = (trial: Trial) =>
  trial.testbed.createOnce('a team with everybody', async () => {
    const { body } = await trial.testbed.sendAsOwner('memberships.list', { query: 'page[size]=100' });
    const rows: readonly MembershipRow[] = body.data;
    const team_id = await make(trial);
    const members = { data: rows.map(({ id }) => ({ type: 'organization-memberships', id })) };
    await trial.testbed.sendAsOwner('teams.add-memberships', { parameters: { team_id }, body: members });
    return { team_id, rows };
  });

/** Teams: managing teams, their permissions and their members are three permissions. Only owners manage the owners team. */
export const group = matrixGroup({
  name: 'teams',
  columns: {
    'show a secret one': { routes: ['teams.show'], seenBy: () => false, attempt: onTeam(undefined, 'secret') },
    'show another': { routes: ['teams.show'], seenBy: 'members', attempt: onTeam() },
    list: {
      routes: ['teams.list'],
      seenBy: 'members',
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: async ({ testbed }) => (await everything(testbed)).map(({ id }) => id),
        seen: async ({ testbed, caller }) =>
          (await everything(testbed))
            .filter(
              ({ id, attributes }) =>
                attributes.visibility === 'organization' || caller.teams.some((team) => team.id === id),
            )
            .map(({ id }) => id),
      },
    },
    create: {
      routes: ['teams.create'],
      seenBy: 'members',
      attempt: ({ send }) => send({ body: document({ name: `new-${++made}` }) }),
    },
    'create with access': {
      routes: ['teams.create'],
      seenBy: 'members',
      attempt: ({ send }) =>
        send({ body: document({ name: `new-${++made}`, 'organization-access': { 'manage-membership': true } }) }),
    },
    update: { routes: ['teams.update'], seenBy: 'members', attempt: onTeam(document({})) },
    'update access': {
      routes: ['teams.update'],
      seenBy: 'members',
      attempt: onTeam(document({ 'organization-access': { 'manage-modules': true } })),
    },
    delete: { routes: ['teams.delete'], seenBy: 'members', attempt: onTeam() },
    'add users': { routes: ['teams.add-users'], seenBy: 'members', attempt: onTeamAbout(user) },
    'add members': { routes: ['teams.add-memberships'], seenBy: 'members', attempt: onTeamAbout(membership) },
    'remove users': { routes: ['teams.remove-users'], seenBy: 'members', attempt: onTeamAbout(user) },
    'remove members': { routes: ['teams.remove-memberships'], seenBy: 'members', attempt: onTeamAbout(membership) },
    'add an owner': { routes: ['teams.add-users'], seenBy: knowsOwners, attempt: onTeamAbout(user, owners) },
    'add an owner by membership': {
      routes: ['teams.add-memberships'],
      seenBy: knowsOwners,
      attempt: onTeamAbout(membership, owners),
    },
    'remove an owner': { routes: ['teams.remove-users'], seenBy: knowsOwners, attempt: onTeamAbout(user, owners) },
    'remove an owner by membership': {
      routes: ['teams.remove-memberships'],
      seenBy: knowsOwners,
      attempt: onTeamAbout(membership, owners),
    },
    'update the owners team': {
      routes: ['teams.update'],
      seenBy: knowsOwners,
      attempt: async (trial) => trial.send({ parameters: { team_id: await owners(trial) }, body: document({}) }),
    },
    'delete the owners team': {
      routes: ['teams.delete'],
      seenBy: knowsOwners,
      attempt: async (trial) => trial.send({ parameters: { team_id: await owners(trial) } }),
    },
    memberships: {
      routes: ['teams.list-memberships'],
      seenBy: 'members',
      attempt: async (trial) => {
        const { team_id } = await crowd(trial);
        await trial.send({ parameters: { team_id }, query: 'page[size]=100' });
      },
      shows: {
        all: async (trial) => (await crowd(trial)).rows.map(({ id }) => id),
        own: async (trial) =>
          (await crowd(trial)).rows
            .filter(({ attributes }) => attributes.username === trial.caller.user?.username)
            .map(({ id }) => id),
      },
    },
    'memberships of a secret one': {
      routes: ['teams.list-memberships'],
      seenBy: () => false,
      attempt: onTeam(undefined, 'secret'),
    },
  },
  table: `
                               | secret other list     | create access | update access delete | users members | users members | add an owner, remove | the owners team | memberships secret
    owner                      | 200    200   200:all  | 201    201    | 200    200    204    | 204   204     | 204   204     | 204 204 204 204 | 200 422 | 200:all 200
    organization token         | 200    200   200:all  | 201    201    | 200    200    204    | 204   204     | 204   204     | 404 404 404 404 | 404 404 | 200:all 200
    manage-organization-access | 404    200   200:seen | 201    201    | 200    200    204    | 204   204     | 204   204     | 404 404 404 404 | 404 404 | 200:all 404
    manage-teams               | 200    200   200:all  | 201    404    | 200    404    204    | 204   204     | 204   204     | 404 404 404 404 | 404 404 | 200:all 200
    manage-membership          | 404    200   200:seen | 404    404    | 404    404    404    | 204   204     | 204   204     | 404 404 404 404 | 404 404 | 200:all 404
    access-secret-teams        | 200    200   200:all  | 404    404    | 404    404    404    | 404   404     | 404   404     | 404 404 404 404 | 404 404 | 200:own 200
    anyone                     | 404    200   200:seen | 404    404    | 404    404    404    | 404   404     | 404   404     | 404 404 404 404 | 404 404 | 200:own 404
    outsider                   | 404    404   404      | 404    404    | 404    404    404    | 404   404     | 404   404     | 404 404 404 404 | 404 404 | 404     404
    no valid token             | 401    401   401      | 401    401    | 401    401    401    | 401   401     | 401   401     | 401 401 401 401 | 401 401 | 401     401
  `,
});
