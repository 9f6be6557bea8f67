import type { Schemas } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { Failure, usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, type Row } from '../output/view.ts';
import { text, type ValuesOf } from '../parameters.ts';
import { projects } from './project-rows.ts';
import { type AccessRequests, grantFlags, onProjects, onWorkspaces, toAccessRow } from './team-grants.ts';
import { teams } from './teams.ts';
import { workspaceArgument } from './workspace-rows.ts';

const view = defineView(
  ['team', 'workspace', 'project', 'access'],
  [
    'id',
    'team-id',
    'workspace-id',
    'project-id',
    ...attributesOf<Schemas['TeamWorkspace']>()(
      'access',
      'runs',
      'variables',
      'state-versions',
      'sentinel-mocks',
      'workspace-locking',
      'run-tasks',
      'policy-overrides',
    ),
    ...attributesOf<Schemas['TeamProject']>()('access', 'project-access', 'workspace-access'),
  ],
);

const targetFlags = {
  workspace: text('Workspace.', 'NAME', workspaceArgument.complete),
  project: text('Project.', 'NAME', projects.argument.complete),
};

type TargetFlags = ValuesOf<typeof targetFlags>;

/** A workspace or a project to which teams have access. */
interface Target {
  readonly id: string;
  readonly name: string;
  readonly requests: AccessRequests;
}

/** Finds the workspace or project of the flags. @returns undefined without one. */
const findTarget = async (invocation: Invocation, { workspace, project }: TargetFlags): Promise<Target | undefined> => {
  if (workspace !== undefined && project !== undefined)
    throw usageError('--workspace and --project exclude each other.');
  if (workspace !== undefined) return { ...(await invocation.workspace(workspace)), requests: onWorkspaces };
  if (project !== undefined) return { ...(await projects.find(invocation, project)), requests: onProjects };
  return undefined;
};

const requireTarget = async (invocation: Invocation, flags: TargetFlags): Promise<Target> => {
  const target = await findTarget(invocation, flags);
  if (target === undefined) throw usageError('Name what it is about.', 'Add --workspace NAME or --project NAME.');
  return target;
};

/** Finds the access of a team to a target. @returns undefined if it has none. */
const findAccess = async ({ api }: Invocation, { id: target, requests }: Target, team: string) => {
  const [access] = (await api.lookUp(requests.list({ team, target, page: 1 }))).document.data;
  if (access === undefined) return undefined;
  const { document, etag } = await api.lookUp(requests.show(access.id));
  return { id: access.id, row: toAccessRow(document.data, document), etag };
};

const findRoutes = [
  ...teams.findRoutes,
  'workspaces.show-by-name',
  'workspaces.show',
  ...projects.findRoutes,
  'team-workspaces.list',
  'team-workspaces.show',
  'team-projects.list',
  'team-projects.show',
] as const;

const describe = ({ team, workspace, project }: Row): string =>
  workspace === null ? `${team} to the project ${project}` : `${team} to the workspace ${workspace}`;

const errors = { conflict: 'Somebody else has changed the access at the same time. Nothing was changed.' };

/** Access of teams to workspaces and projects (docs/reference/teams.md). */
export const teamAccessCommands: Group = {
  title: 'Access of teams to workspaces and projects',
  commands: [
    command({
      name: 'team access list',
      summary: 'List the access of teams to workspaces and projects',
      description: 'Lists what a team has access to, or which teams have access to a workspace or a project.',
      flags: { team: text('Only of this team.', 'NAME', teams.argument.complete), ...targetFlags },
      routes: findRoutes,
      result: { kind: 'list', view },
      examples: ['team access list --team builders', 'team access list --workspace network'],
      async *run(invocation, _, { team: name, ...flags }) {
        const target = await findTarget(invocation, flags);
        if (target === undefined && name === undefined) {
          throw usageError('Name what it is about.', 'Add --team NAME, --workspace NAME or --project NAME.');
        }
        const filters = {
          ...(name !== undefined && { team: await teams.findId(invocation, name) }),
          ...(target !== undefined && { target: target.id }),
        };
        for (const { list } of target === undefined ? [onWorkspaces, onProjects] : [target.requests]) {
          for await (const document of invocation.api.pages((page) => list({ ...filters, page }))) {
            for (const access of document.data) yield toAccessRow(access, document);
          }
        }
      },
    }),
    command({
      name: 'team access grant',
      summary: 'Give a team access to a workspace or a project, or change its access',
      description: 'The other flags are the parts of a custom access. Parts that are not named stay as they are.',
      arguments: { team: teams.argument },
      flags: { ...targetFlags, ...grantFlags },
      routes: [
        ...findRoutes,
        'team-workspaces.create',
        'team-workspaces.update',
        'team-projects.create',
        'team-projects.update',
      ],
      result: { kind: 'change', view, sentence: (row) => `Granted ${row['access']} access of ${describe(row)}.` },
      examples: [
        'team access grant builders --workspace network --access write',
        'team access grant builders --project Platform --access maintain',
        'team access grant builders --workspace network --runs plan --variables read --locking true',
      ],
      errors,
      run: async (invocation, { team }, { workspace, project, ...grant }) => {
        const target = await requireTarget(invocation, { workspace, project });
        const { id, name } = await teams.find(invocation, team);
        const present = await findAccess(invocation, target, id);
        const { document } = await invocation.api.send(
          present === undefined
            ? target.requests.create(target.id, id, grant)
            : target.requests.update(present.id, grant, present.etag),
        );
        const row = toAccessRow(document.data, document);
        return { ...row, team: name, [row['project'] === null ? 'workspace' : 'project']: target.name };
      },
    }),
    command({
      name: 'team access revoke',
      summary: 'Revoke the access of a team to a workspace or a project',
      arguments: { team: teams.argument },
      flags: targetFlags,
      routes: [...findRoutes, 'team-workspaces.delete', 'team-projects.delete'],
      result: { kind: 'change', view, sentence: (row) => `Revoked ${row['access']} access of ${describe(row)}.` },
      examples: ['team access revoke builders --workspace network'],
      errors,
      run: async (invocation, { team }, flags) => {
        const target = await requireTarget(invocation, flags);
        const access = await findAccess(invocation, target, await teams.findId(invocation, team));
        if (access === undefined) throw new Failure('notFound', `${team} has no access to ${target.name}.`);
        await invocation.api.send(target.requests.remove(access.id, access.etag));
        return access.row;
      },
    }),
  ],
};
