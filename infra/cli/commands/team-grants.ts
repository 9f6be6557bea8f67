import { type ApiRequest, apiRequest } from '../../../shared/client/request.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import { pageQuery } from '../api.ts';
import { everyOf } from '../every-of.ts';
import { usageError } from '../failure.ts';
import { flatten, type Row } from '../output/view.ts';
import { choice, truth, type ValuesOf } from '../parameters.ts';
import { type FlagsOf, given, isSet, type Settings } from '../settings.ts';

const ON_WORKSPACES = '/api/v2/team-workspaces';
const ON_WORKSPACE = '/api/v2/team-workspaces/{team_workspace_id}';
const ON_PROJECTS = '/api/v2/team-projects';
const ON_PROJECT = '/api/v2/team-projects/{team_project_id}';

type WorkspaceAccess = Schemas['TeamWorkspace'];
type ProjectAccess = Schemas['TeamProject'];
type Access = WorkspaceAccess | ProjectAccess;

type Parts = WorkspaceAccess['attributes'];

const commonParts = {
  runs: choice('Runs.', everyOf<Parts['runs']>()('read', 'plan', 'apply')),
  variables: choice('Variables.', everyOf<Parts['variables']>()('none', 'read', 'write')),
  'state-versions': choice('States.', everyOf<Parts['state-versions']>()('none', 'read-outputs', 'read', 'write')),
  'sentinel-mocks': choice('Sentinel mocks.', everyOf<Parts['sentinel-mocks']>()('none', 'read')),
  'run-tasks': truth('Run tasks.'),
  'policy-overrides': truth('Overriding policies.'),
};

const locking = truth('Locking and unlocking.');

const workspaceParts = {
  ...commonParts,
  'workspace-locking': locking,
} satisfies Settings<Schemas['TeamWorkspaceUpdateBody'], 'access'>;

const partsOfWorkspaces = {
  ...commonParts,
  locking,
  create: truth('Creating workspaces in the project.'),
  delete: truth('Deleting them.'),
  move: truth('Moving them out of the project and into it.'),
} satisfies FlagsOf<ProjectAccess['attributes']['workspace-access']>;

type ProjectParts = ProjectAccess['attributes']['project-access'];

const projectParts = {
  settings: choice('The project itself.', everyOf<ProjectParts['settings']>()('read', 'update', 'delete')),
  teams: choice('Access of teams to the project.', everyOf<ProjectParts['teams']>()('none', 'read', 'manage')),
  'variable-sets': choice(
    'Variable sets of the project.',
    everyOf<ProjectParts['variable-sets']>()('none', 'read', 'write'),
  ),
} satisfies FlagsOf<ProjectParts>;

const levels = everyOf<Access['attributes']['access']>()('read', 'plan', 'write', 'maintain', 'admin', 'custom');

/** The flags that describe an access: its level, or the parts of a custom access. */
export const grantFlags = {
  access: choice('Level. "plan" is for workspaces, "maintain" for projects. Default with parts: custom.', levels),
  ...partsOfWorkspaces,
  ...projectParts,
};

type Grant = ValuesOf<typeof grantFlags>;

/** Returns the level of a grant. @throws Failure `usage` if the user names neither a level nor a part. */
const levelOf = ({ access, ...parts }: Grant): (typeof levels)[number] => {
  if (access !== undefined) return access;
  if (Object.values(parts).some(isSet)) return 'custom';
  throw usageError('Name the access to grant.', 'Add --access LEVEL, or the parts of a custom access.');
};

const toWorkspaceAttributes = (grant: Grant) => {
  const access = levelOf(grant);
  if (access === 'maintain') throw usageError('The level "maintain" is for projects.');
  const values = { ...grant, 'workspace-locking': grant.locking };
  const { locking: _, ...forProjects } = { ...partsOfWorkspaces, ...projectParts };
  const other = Object.keys(forProjects).find((name) => !(name in workspaceParts) && name in given(forProjects, grant));
  if (other !== undefined) throw usageError(`--${other} is for projects.`);
  return { access, ...given(workspaceParts, values) };
};

const toProjectAttributes = (grant: Grant) => {
  const access = levelOf(grant);
  if (access === 'plan') throw usageError('The level "plan" is for workspaces.');
  return {
    access,
    'project-access': given(projectParts, grant),
    'workspace-access': given(partsOfWorkspaces, grant),
  };
};

/** Page of a list of accesses: of a team, of a workspace or project, or both. */
interface AccessQuery {
  readonly team?: string;
  readonly target?: string;
  readonly page: number;
}

/** A document with the teams, workspaces and projects that it includes. */
interface Including {
  readonly included?: readonly { readonly id: string; readonly attributes: { readonly name: string } }[];
}

interface AccessList extends Including {
  readonly data: readonly Access[];
  readonly meta?: { readonly pagination?: { readonly 'next-page'?: number | null } };
}

interface AccessDocument extends Including {
  readonly data: Access;
}

/** The requests about access to workspaces, or about access to projects. */
export interface AccessRequests {
  readonly list: (query: AccessQuery) => ApiRequest<AccessList>;
  readonly show: (id: string) => ApiRequest<AccessDocument>;
  readonly create: (target: string, team: string, grant: Grant) => ApiRequest<AccessDocument>;
  readonly update: (id: string, grant: Grant, ifMatch: string | undefined) => ApiRequest<AccessDocument>;
  readonly remove: (id: string, ifMatch: string | undefined) => ApiRequest;
}

/** Requests about access to workspaces. */
export const onWorkspaces: AccessRequests = {
  list: ({ team, target, page: number }) =>
    apiRequest('get', ON_WORKSPACES, {
      query: {
        ...(team !== undefined && { 'filter[team][id]': team }),
        ...(target !== undefined && { 'filter[workspace][id]': target }),
        include: ['team', 'workspace'],
        ...pageQuery(number),
      },
    }),
  show: (id) =>
    apiRequest('get', ON_WORKSPACE, { path: { team_workspace_id: id }, query: { include: ['team', 'workspace'] } }),
  create: (target, team, grant) =>
    apiRequest('post', ON_WORKSPACES, {
      body: {
        data: {
          type: 'team-workspaces',
          attributes: toWorkspaceAttributes(grant),
          relationships: { team: { data: { id: team } }, workspace: { data: { id: target } } },
        },
      },
    }),
  update: (id, grant, ifMatch) =>
    apiRequest(
      'patch',
      ON_WORKSPACE,
      {
        path: { team_workspace_id: id },
        body: { data: { type: 'team-workspaces', attributes: toWorkspaceAttributes(grant) } },
      },
      { ifMatch },
    ),
  remove: (id, ifMatch) => apiRequest('delete', ON_WORKSPACE, { path: { team_workspace_id: id } }, { ifMatch }),
};

/** Requests about access to projects. */
export const onProjects: AccessRequests = {
  list: ({ team, target, page: number }) =>
    apiRequest('get', ON_PROJECTS, {
      query: {
        ...(team !== undefined && { 'filter[team][id]': team }),
        ...(target !== undefined && { 'filter[project][id]': target }),
        include: ['team', 'project'],
        ...pageQuery(number),
      },
    }),
  show: (id) =>
    apiRequest('get', ON_PROJECT, { path: { team_project_id: id }, query: { include: ['team', 'project'] } }),
  create: (target, team, grant) =>
    apiRequest('post', ON_PROJECTS, {
      body: {
        data: {
          type: 'team-projects',
          attributes: toProjectAttributes(grant),
          relationships: { team: { data: { id: team } }, project: { data: { id: target } } },
        },
      },
    }),
  update: (id, grant, ifMatch) =>
    apiRequest(
      'patch',
      ON_PROJECT,
      {
        path: { team_project_id: id },
        body: { data: { type: 'team-projects', attributes: toProjectAttributes(grant) } },
      },
      { ifMatch },
    ),
  remove: (id, ifMatch) => apiRequest('delete', ON_PROJECT, { path: { team_project_id: id } }, { ifMatch }),
};

/** Converts an access to a row. Its team, and its workspace or project, are named if the document includes them. */
export const toAccessRow = (access: Access, { included = [] }: Including): Row => {
  const { team, ...others } = access.relationships;
  const name = ({ data }: { readonly data: { readonly id: string } }): string =>
    included.find(({ id }) => id === data.id)?.attributes.name ?? data.id;
  return {
    ...flatten(access),
    team: name(team),
    workspace: 'workspace' in others ? name(others.workspace) : null,
    project: 'project' in others ? name(others.project) : null,
  };
};
