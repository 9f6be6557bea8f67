import { computedId } from '../../../shared/domain/ids.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const grant = ({ testbed, subject }: Trial, team: string) =>
  testbed.admin('grant-access', { organization: testbed.organization, team, workspace: subject.id, access: 'read' });
const revoke = ({ testbed, subject }: Trial, team: string) =>
  testbed.admin('revoke-access', { organization: testbed.organization, team, workspace: subject.id });

const ofSubject = ({ subject }: Trial): string => `filter[workspace][id]=${subject.id}`;

interface Row {
  readonly id: string;
  readonly relationships: { readonly team: { readonly data: { readonly id: string } } };
}
/** Lists all team access of the workspace as an owner. */
const listAccess = async (trial: Trial): Promise<readonly Row[]> =>
  (await trial.testbed.sendAsOwner('team-workspaces.list', { query: ofSubject(trial) })).body.data;

/** Sends the request for a team's access to the caller's workspace. */
const onAccess =
  (team: 'open' | 'secret', body?: object) =>
  async (trial: Trial<Fixture>): Promise<void> => {
    const { fixture, send } = trial;
    const id = await trial.testbed.createOnce(`${team} to ${trial.subject.id}`, async () => {
      await grant(trial, team);
      const row = (await listAccess(trial)).find((one) => one.relationships.team.data.id === fixture[team]);
      return row?.id ?? '';
    });
    await send({ parameters: { team_workspace_id: id }, ...(body && { body }) });
  };

const create =
  (team: 'open' | 'secret') =>
  async (trial: Trial<Fixture>): Promise<void> => {
    const { testbed, fixture, subject, send } = trial;
    await testbed.createOnce(`no ${team} to ${subject.id}`, () => revoke(trial, team));
    await send({
      body: {
        data: {
          type: 'team-workspaces',
          attributes: { access: 'read' },
          relationships: {
            team: { data: { type: 'teams', id: fixture[team] } },
            workspace: { data: { type: 'workspaces', id: subject.id } },
          },
        },
      },
    });
  };

/** Ids of the teams with access to the workspaces of all callers: one visible to the organization, one secret. */
interface Fixture {
  readonly open: string;
  readonly secret: string;
}

const change = { data: { type: 'team-workspaces', attributes: { access: 'plan' } } };

/**
 * Team access to workspaces: callers that manage access can list all of it, others that of their own and of visible
 * teams. Granting access to a secret team requires being able to read that team by other means than the workspace.
 */
export const group = matrixGroup<Fixture>({
  name: 'team access to workspaces',
  prepare: async ({ admin, organization }) => {
    const make = async (name: string, visibility: string): Promise<string> =>
      (await admin('create-team', { organization, name, visibility })).team.id;
    return { open: await make('open', 'organization'), secret: await make('secret', 'secret') };
  },
  columns: {
    list: {
      routes: ['team-workspaces.list'],
      attempt: async (trial) => {
        await grant(trial, 'open');
        await grant(trial, 'secret');
        await trial.send({ query: ofSubject(trial) });
      },
      shows: {
        all: async (trial) => (await listAccess(trial)).map(({ id }) => id),
        known: async (trial) => {
          const known = [trial.fixture.open, ...trial.caller.teams.map(({ id }) => id)];
          const rows = await listAccess(trial);
          return rows.filter(({ relationships }) => known.includes(relationships.team.data.id)).map(({ id }) => id);
        },
      },
    },
    'list one team': {
      routes: ['team-workspaces.list'],
      attempt: async (trial) => {
        await grant(trial, 'open');
        await trial.send({ query: `filter[team][id]=${trial.fixture.open}&page[size]=100` });
      },
      shows: {
        all: async ({ testbed, fixture }) =>
          (
            await testbed.sendAsOwner('team-workspaces.list', {
              query: `filter[team][id]=${fixture.open}&page[size]=100`,
            })
          ).body.data.map(({ id }: Row) => id),
        own: (trial) => [computedId('workspaceAccess', trial.subject.id, trial.fixture.open)],
        nothing: () => [],
      },
    },
    'list a secret team': {
      routes: ['team-workspaces.list'],
      seenBy: () => false,
      attempt: async (trial) => trial.send({ query: `filter[team][id]=${trial.fixture.secret}` }),
    },
    'show an open one': { routes: ['team-workspaces.show'], attempt: onAccess('open') },
    'show a secret one': { routes: ['team-workspaces.show'], seenBy: () => false, attempt: onAccess('secret') },
    'create an open one': { routes: ['team-workspaces.create'], attempt: create('open') },
    'create a secret one': { routes: ['team-workspaces.create'], attempt: create('secret') },
    'update an open one': { routes: ['team-workspaces.update'], attempt: onAccess('open', change) },
    'update a secret one': {
      routes: ['team-workspaces.update'],
      seenBy: () => false,
      attempt: onAccess('secret', change),
    },
    delete: { routes: ['team-workspaces.delete'], attempt: onAccess('open') },
  },
  table: `
                       | list      | of one team, secret  | show    | create  | update  | delete
    owner              | 200:all   | 200:all     200      | 200 200 | 201 201 | 200 200 | 204
    manage-projects    | 200:all   | 200:all     404      | 200 200 | 201 404 | 200 200 | 204
    manage-workspaces  | 200:all   | 200:all     404      | 200 200 | 201 404 | 200 200 | 204
    organization token | 200:all   | 200:all     200      | 200 200 | 201 201 | 200 200 | 204
    read everywhere    | 200:known | 200:all     404      | 200 404 | 404 404 | 404 404 | 404

    project read       | 200:known | 200:all     404      | 200 404 | 404 404 | 404 404 | 404
    project write      | 200:known | 200:all     404      | 200 404 | 404 404 | 404 404 | 404
    project maintain   | 200:known | 200:all     404      | 200 404 | 404 404 | 404 404 | 404
    project admin      | 200:all   | 200:all     404      | 200 200 | 201 404 | 200 200 | 204

    workspace read     | 200:known | 200:own     404      | 200 404 | 404 404 | 404 404 | 404
    workspace write    | 200:known | 200:own     404      | 200 404 | 404 404 | 404 404 | 404
    workspace admin    | 200:all   | 200:own     404      | 200 200 | 201 404 | 200 200 | 204

    manage-teams       | .         | .           200      | . .     | . .     | . .     | .
    access-secret-teams| .         | .           200      | . .     | . .     | . .     | .
    workspace admin, and read-workspaces | . | 200:all . | . . | . . | . . | .
    workspace admin, and project write | . | 200:all . | . . | . . | . . | .

    no access          | 404       | 200:nothing 404      | 404 404 | 404 404 | 404 404 | 404
    outsider           | 404       | 404         404      | 404 404 | 404 404 | 404 404 | 404
    no valid token     | 401       | 401         401      | 401 401 | 401 401 | 401 401 | 401
  `,
});
