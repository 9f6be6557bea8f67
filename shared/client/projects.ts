import { apiRequest } from './request.ts';
import type { DocumentOf, Entered, Schemas } from './types.ts';
import { type TagBinding, toBindings } from './workspaces.ts';

/** Describes the request of one page of the projects of an organization. */
export const listProjects = (organization: string, number: number, size = 20) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/projects', {
    path: { organization_name: organization },
    query: { 'page[number]': number, 'page[size]': size },
  });

const BY_ID = '/api/v2/projects/{project_id}';

export type ProjectDocument = DocumentOf<'get', typeof BY_ID>;

/** Describes the request of a project with its tag bindings. */
export const showProject = (id: string) =>
  apiRequest('get', BY_ID, { path: { project_id: id }, query: { include: ['effective_tag_bindings'] } });

/** Describes the addition of tag bindings, or the change of their values (PROJECT-6). */
export const addProjectTagBindings = (id: string, bindings: readonly TagBinding[]) =>
  apiRequest('patch', '/api/v2/projects/{project_id}/tag-bindings', {
    path: { project_id: id },
    body: toBindings(bindings),
  });

/** Describes the replacement of all tag bindings (PROJECT-6). With `ifMatch`, it changes only that revision. */
export const replaceProjectTagBindings = (id: string, bindings: readonly TagBinding[], ifMatch: string | undefined) =>
  apiRequest(
    'patch',
    '/api/v2/projects/{project_id}/relationships/tag-bindings',
    { path: { project_id: id }, body: toBindings(bindings) },
    { ifMatch },
  );

/** A project as the user edits it. Defaults of null are inherited from the organization. */
export type ProjectInput = Entered<
  Schemas['ProjectBody'],
  'allowed-value-references' | 'auto-destroy-activity-duration' | 'default-agent-pool-id' | 'setting-overwrites'
>;

/** Describes the creation of a project. */
export const createProject = (organization: string, attributes: ProjectInput) =>
  apiRequest('post', '/api/v2/organizations/{organization_name}/projects', {
    path: { organization_name: organization },
    body: { data: { type: 'projects', attributes } },
  });

/** Describes the update of a project. With `ifMatch`, it changes only that revision. */
export const updateProject = (id: string, attributes: Partial<ProjectInput>, ifMatch: string | undefined) =>
  apiRequest(
    'patch',
    BY_ID,
    { path: { project_id: id }, body: { data: { type: 'projects', attributes } } },
    { ifMatch },
  );

/** Describes the deletion of a project without workspaces. */
export const deleteProject = (id: string) => apiRequest('delete', BY_ID, { path: { project_id: id } });

export type TeamProject = Schemas['TeamProject'];
export type ProjectAccess = TeamProject['attributes']['access'];
type ProjectAccessInput = Partial<TeamProject['attributes']> & Pick<TeamProject['attributes'], 'access'>;

/** Describes the request of one page of the access of teams to a project. */
export const listProjectAccess = (project: string, number: number, size = 20) =>
  apiRequest('get', '/api/v2/team-projects', {
    query: { 'filter[project][id]': project, include: ['team'], 'page[number]': number, 'page[size]': size },
  });

/** Describes the request of one page of the projects to which a team has access, by name (TEAM-8). */
export const listProjectsOfTeam = (team: string, number: number, size = 20) =>
  apiRequest('get', '/api/v2/team-projects', {
    query: { 'filter[team][id]': team, include: ['project'], 'page[number]': number, 'page[size]': size },
  });

/** Describes a new access of a team to a project. */
export const addProjectAccess = (project: string, team: string, attributes: ProjectAccessInput) =>
  apiRequest('post', '/api/v2/team-projects', {
    body: {
      data: {
        type: 'team-projects',
        attributes,
        relationships: { team: { data: { id: team } }, project: { data: { id: project } } },
      },
    },
  });

/** Describes a change of the access of a team to a project. */
export const changeProjectAccess = (id: string, attributes: Partial<ProjectAccessInput>) =>
  apiRequest('patch', '/api/v2/team-projects/{team_project_id}', {
    path: { team_project_id: id },
    body: { data: { type: 'team-projects', attributes } },
  });

/** Describes the removal of the access of a team to a project. */
export const removeProjectAccess = (id: string) =>
  apiRequest('delete', '/api/v2/team-projects/{team_project_id}', { path: { team_project_id: id } });
