import { matrixGroup, type Trial } from '../../support/matrix.ts';
import type { Caller, World } from '../../support/matrix-world.ts';

const managers = ['owner', 'organization token', 'manage-membership', 'manage-teams', 'manage-organization-access'];
const manages = ({ rows }: Caller): boolean => managers.some((row) => rows.includes(row));

interface Row {
  readonly id: string;
  readonly attributes: { readonly username: string };
}

/** Everybody, as the keeper sees them. */
const everybody = async (world: World): Promise<readonly Row[]> =>
  (await world.keep('memberships.list', { query: 'page[size]=100' })).body.data;

let made = 0;
/** A user whom nobody knows yet, who is invited by the keeper. */
const invite = async ({ world }: Trial, team?: string): Promise<string> => {
  const username = `invited-${++made}`;
  await world.admin('create-user', { username, email: `${username}@example.com` });
  const { body } = await world.keep('memberships.create', { body: invitation({ username }, team) });
  return body.data.id;
};
const invitation = (attributes: object, team?: string) => ({
  data: {
    type: 'organization-memberships',
    attributes,
    ...(team && { relationships: { teams: { data: [{ type: 'teams', id: team }] } } }),
  },
});

const remove = (team?: 'owners') => async (trial: Trial) => {
  const owners =
    team && (await trial.world.admin('update-team', { organization: trial.world.organization, name: team }));
  await trial.send({ parameters: { membership_id: await invite(trial, owners?.team.id) } });
};

/** Members know of themselves, and managing membership is knowing of all; owners are owners' business. */
export const group = matrixGroup({
  name: 'memberships',
  columns: {
    list: {
      routes: ['memberships.list'],
      attempt: ({ send }) => send({ query: 'page[size]=100' }),
      shows: {
        all: async ({ world }) => (await everybody(world)).map(({ id }) => id),
        own: async ({ world, caller }) =>
          (await everybody(world))
            .filter(({ attributes }) => attributes.username === caller.user?.username)
            .map(({ id }) => id),
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
      attempt: async ({ world, send }) => {
        const { team } = await world.admin('update-team', { organization: world.organization, name: 'owners' });
        await send({ body: invitation({ email: `mail-${++made}@example.com` }, team.id) });
      },
    },
    show: {
      routes: ['memberships.show'],
      seenBy: manages,
      attempt: async (trial) => trial.send({ parameters: { membership_id: await invite(trial) } }),
    },
    remove: { routes: ['memberships.delete'], seenBy: manages, attempt: remove() },
    'remove an owner': { routes: ['memberships.delete'], seenBy: manages, attempt: remove('owners') },
  },
  table: `
                               | list     | invite owner | show | remove owner
    owner                      | 200:all  | 201    201   | 200  | 204    204
    organization token         | 200:all  | 201    201   | 200  | 204    204
    manage-organization-access | 200:all  | 201    422   | 200  | 204    404
    manage-teams               | 200:all  | 201    404   | 200  | 204    404
    manage-membership          | 200:all  | 201    422   | 200  | 204    404
    team token with no access  | 200:none | .      .     | .    | .      .
    team token                 | 200:none | .      .     | .    | .      .
    anyone                     | 200:own  | 404    404   | 404  | 404    404
    owners team token          | 200:all  | 201    201   | 200  | 204    204
    outsider                   | 404      | 404    404   | 404  | 404    404
    no valid token             | 401      | 401    401   | 401  | 401    401
  `,
});
