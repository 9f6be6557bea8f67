import { computedId } from '../../../shared/domain/ids.ts';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller } from '../../support/matrix/testbed.ts';

/** Id of a team that is visible to the organization. */
interface Fixture {
  readonly team: string;
}

const given = ({ testbed, fixture }: Trial<Fixture>) => ({
  organization: testbed.organization,
  team: fixture.team,
  project: testbed.projects.home,
});
const change = { data: { type: 'team-projects', attributes: { access: 'write' } } };

/** Sends the request for the team's access to the project with the grants. */
const onAccess =
  (body?: object) =>
  async (trial: Trial<Fixture>): Promise<void> => {
    const { testbed, fixture, send } = trial;
    await testbed.createOnce('access', () => testbed.admin('grant-access', { ...given(trial), access: 'read' }));
    const id = computedId('projectAccess', testbed.projects.home, fixture.team);
    await send({ parameters: { team_project_id: id }, ...(body && { body }) });
  };

const create = async (trial: Trial<Fixture>): Promise<void> => {
  const { testbed, fixture, send } = trial;
  const relationships = {
    team: { data: { type: 'teams', id: fixture.team } },
    project: { data: { type: 'projects', id: testbed.projects.home } },
  };
  await testbed.createOnce('no access', () => testbed.admin('revoke-access', given(trial)));
  await send({ body: { data: { type: 'team-projects', attributes: { access: 'read' }, relationships } } });
};

/** Reports whether the caller can read the project with the grants. */
const seesProject = ({ rows }: Caller): boolean =>
  rows.some((row) =>
    /^(owner|manage-projects|manage-workspaces|read everywhere|organization token|project .*|.*, and .*)$/.test(row),
  ) && !rows.includes('workspace plan, and locking');

/** Team access to projects: managed by the project's admins and by callers with `manage-projects`. */
export const group = matrixGroup<Fixture>({
  name: 'team access to projects',
  prepare: async ({ admin, organization }) => ({
    team: (await admin('create-team', { organization, name: 'on-projects', visibility: 'organization' })).team.id,
  }),
  columns: {
    list: {
      routes: ['team-projects.list'],
      seenBy: seesProject,
      attempt: ({ testbed, send }) => send({ query: `filter[project][id]=${testbed.projects.home}` }),
    },
    'list one team': {
      routes: ['team-projects.list'],
      attempt: async (trial) => {
        const { testbed, fixture } = trial;
        await testbed.createOnce('access', () => testbed.admin('grant-access', { ...given(trial), access: 'read' }));
        await trial.send({ query: `filter[team][id]=${fixture.team}` });
      },
      shows: {
        home: ({ testbed, fixture }) => [computedId('projectAccess', testbed.projects.home, fixture.team)],
        nothing: () => [],
      },
    },
    show: { routes: ['team-projects.show'], seenBy: seesProject, attempt: onAccess() },
    create: { routes: ['team-projects.create'], seenBy: seesProject, attempt: create },
    update: { routes: ['team-projects.update'], seenBy: seesProject, attempt: onAccess(change) },
    delete: { routes: ['team-projects.delete'], seenBy: seesProject, attempt: onAccess() },
  },
  table: `
                                         | list one team    show | create update delete
    owner                                | 200  200:home    200  | 201    200    204
    manage-projects                      | 200  200:home    200  | 201    200    204
    organization token                   | 200  200:home    200  | 201    200    204
    manage-workspaces                    | 200  200:home    200  | 404    404    404
    read everywhere                      | 200  200:home    200  | 404    404    404

    project read                         | 200  200:home    200  | 404    404    404
    project write                        | 200  200:home    200  | 404    404    404
    project maintain                     | 200  200:home    200  | 404    404    404
    project admin                        | 200  200:home    200  | 201    200    204

    workspace read                       | 404  200:nothing 404  | 404    404    404
    workspace write                      | 404  200:nothing 404  | 404    404    404
    workspace admin                      | 404  200:nothing 404  | 404    404    404
    workspace admin, and read-workspaces | 200  200:home    200  | .      .      .
    workspace admin, and project write   | 200  200:home    200  | .      .      .

    no access                            | 404  200:nothing 404  | 404    404    404
    outsider                             | 404  404         404  | 404    404    404
    no valid token                       | 401  401         401  | 401    401    401
  `,
});
