import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import { isMember } from '../../support/matrix/matrix-callers.ts';
import type { Caller } from '../../support/matrix/testbed.ts';

/** Ids of a team that is visible to the organization, of the owners team, and of an owner. */
interface Fixture {
  readonly open: string;
  readonly owners: string;
  readonly ownerId: string;
}

/** Creates a token unless the caller uses the organization token, because a new token would replace it. */
const giveOrganizationToken = async ({ testbed }: Trial): Promise<void> => {
  if (testbed.callers.some(({ origin }) => origin.token === 'organization')) return;
  await testbed.createOnce("the organization's", () => testbed.sendAsOwner('organization-token.create'));
};

const onTeam =
  (team: 'open' | 'owners', prepared = false) =>
  async ({ testbed, fixture, send }: Trial<Fixture>): Promise<void> => {
    const parameters = { team_id: fixture[team] };
    if (prepared) await testbed.createOnce(team, () => testbed.sendAsOwner('team-token.create', { parameters }));
    await send({ parameters });
  };

const toOwner = ({ fixture, send }: Trial<Fixture>) => send({ parameters: { user_id: fixture.ownerId } });
/** Sends the request for the caller's user, or for an owner if the caller is not a user. */
const ofThemselves = ({ caller, fixture, send }: Trial<Fixture>) =>
  send({ parameters: { user_id: caller.user?.id ?? fixture.ownerId } });

/** Sends the request for a token of the caller's user, or of an owner if the caller is not a user. */
const onOwn = async ({ testbed, caller, fixture, send }: Trial<Fixture>): Promise<void> => {
  const [user_id, token] = caller.user ? [caller.user.id, caller.token] : [fixture.ownerId, testbed.ownerToken];
  const { body } = await testbed.createOnce(user_id, () =>
    testbed.call('user-tokens.create', token, { parameters: { user_id } }),
  );
  await send({ parameters: { token_id: body.data.id } });
};

const onTokenOf =
  (team: 'open' | 'owners') =>
  async ({ testbed, fixture, send }: Trial<Fixture>): Promise<void> => {
    const { body } = await testbed.createOnce(`${team} by id`, () =>
      testbed.sendAsOwner('team-tokens.create', { parameters: { team_id: fixture[team] } }),
    );
    await send({ parameters: { token_id: body.data.id } });
  };

/** Tokens: the owners team is secret, so a caller that cannot read it gets a 404 without a detail. */
const knowsOwners = (caller: Caller): boolean =>
  isMember(caller) &&
  ['owner', 'organization token', 'manage-teams', 'access-secret-teams'].some((row) => caller.rows.includes(row));

const nobody = () => false;

export const group = matrixGroup<Fixture>({
  name: 'tokens',
  prepare: async ({ admin, organization, sendAsOwner }) => {
    const { team } = await admin('create-team', { organization, name: 'open', visibility: 'organization' });
    const { team: owners } = await admin('update-team', { organization, name: 'owners' });
    return { open: team.id, owners: owners.id, ownerId: (await sendAsOwner('users.account')).body.data.id };
  },
  columns: {
    "list a team's": { routes: ['team-tokens.list'], seenBy: 'members', attempt: onTeam('open') },
    "list all teams'": { routes: ['organization-team-tokens.list'], seenBy: 'members' },
    "create a team's": {
      routes: ['team-token.create', 'team-tokens.create'],
      seenBy: 'members',
      attempt: onTeam('open'),
    },
    "show a team's": { routes: ['team-token.show'], seenBy: 'members', attempt: onTeam('open', true) },
    "delete a team's": { routes: ['team-token.delete'], seenBy: 'members', attempt: onTeam('open', true) },
    "create the owners'": {
      routes: ['team-token.create', 'team-tokens.create'],
      seenBy: knowsOwners,
      attempt: onTeam('owners'),
    },
    "show the owners'": { routes: ['team-token.show'], seenBy: knowsOwners, attempt: onTeam('owners', true) },
    "delete the owners'": { routes: ['team-token.delete'], seenBy: knowsOwners, attempt: onTeam('owners', true) },
    "list the owners'": { routes: ['team-tokens.list'], seenBy: knowsOwners, attempt: onTeam('owners') },
    "create the organization's": { routes: ['organization-token.create'], seenBy: 'members' },
    "show the organization's": {
      routes: ['organization-token.show'],
      seenBy: 'members',
      attempt: async (trial) => {
        await giveOrganizationToken(trial);
        await trial.send();
      },
    },
    "delete the organization's": {
      routes: ['organization-token.delete'],
      seenBy: 'members',
      attempt: async (trial) => {
        await giveOrganizationToken(trial);
        await trial.send();
      },
    },
    "list another user's": { routes: ['user-tokens.list'], seenBy: nobody, attempt: toOwner },
    "create another user's": { routes: ['user-tokens.create'], seenBy: nobody, attempt: toOwner },
    'list the own': { routes: ['user-tokens.list'], seenBy: nobody, attempt: ofThemselves },
    'create an own one': { routes: ['user-tokens.create'], seenBy: nobody, attempt: ofThemselves },
    'show the own': { routes: ['tokens.show'], seenBy: nobody, attempt: onOwn },
    'delete the own': { routes: ['tokens.delete'], seenBy: nobody, attempt: onOwn },
    "show a team's by id": { routes: ['tokens.show'], seenBy: nobody, attempt: onTokenOf('open') },
    "delete a team's by id": { routes: ['tokens.delete'], seenBy: nobody, attempt: onTokenOf('open') },
    "show the owners' by id": { routes: ['tokens.show'], seenBy: nobody, attempt: onTokenOf('owners') },
    "delete the owners' by id": { routes: ['tokens.delete'], seenBy: nobody, attempt: onTokenOf('owners') },
  },
  table: `
                               | a team's            | the owners'     | the organization's | another's | the own         | by id
    owner                      | 200 200 201 200 204 | 201 200 204 200 | 201 200 204        | 404 404   | 200 201 200 204 | 200 204 200 204
    owners team token          | .   .   .   .   .   | .   .   .   .   | .   .   .          | .   .     | 404 404 404 404 | .   .   .   .
    team token                 | .   .   .   .   .   | .   .   .   .   | .   .   .          | .   .     | 404 404 404 404 | .   .   .   .
    manage-teams               | 200 200 201 200 204 | 404 404 404 404 | 404 404 404        | 404 404   | 200 201 200 204 | 200 204 404 404
    manage-organization-access | 200 200 201 200 204 | 404 404 404 404 | 404 404 404        | 404 404   | 200 201 200 204 | 200 204 404 404
    organization token         | 200 200 201 200 204 | 404 404 404 404 | 404 404 404        | 404 404   | 404 404 404 404 | 200 204 404 404
    anyone                     | 404 404 404 404 404 | 404 404 404 404 | 404 404 404        | 404 404   | 200 201 200 204 | 404 404 404 404
    user of no organization    | .   .   .   .   .   | .   .   .   .   | .   .   .          | .   .     | 200 201 200 204 | .   .   .   .
    outsider                   | 404 404 404 404 404 | 404 404 404 404 | 404 404 404        | 404 404   | 404 404 404 404 | 404 404 404 404
    no valid token             | 401 401 401 401 401 | 401 401 401 401 | 401 401 401        | 401 401   | 401 401 401 401 | 401 401 401 401
  `,
});
