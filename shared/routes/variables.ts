import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, required, routesOf, WORKSPACE, withDryRun } from './route.ts';

const { get, post, patch, remove } = routesOf('variables');
const old = `${BASE_PATH}/vars` as const;
const oldOne = `${old}/{variable_id}` as const;
const ofWorkspace = `${WORKSPACE}/vars` as const;
const one = `${ofWorkspace}/{variable_id}` as const;
const change = { conditional: true, body: required('variable') } as const;
const creation = { body: required('newWorkspaceVariable') };
const verification = { body: required('variableVerification') };

/** Since 1 January 2026 (HTTP-26). */
const deprecated = <const S extends string>(successor: S) =>
  ({ deprecated: { since: 1_767_225_600, successor } }) as const;

/** Variables, by the deprecated paths and by their successors (docs/reference/variables.md). */
export const variables = {
  'variables.list': get(old, 200, deprecated(ofWorkspace)),
  'variables.create': post(old, 201, { ...deprecated(ofWorkspace), body: required('newVariable') }),
  'variables.update': patch(oldOne, 200, { ...deprecated(one), ...change }),
  'variables.delete': remove(oldOne, 204, { ...deprecated(one), conditional: true }),

  'workspace-variables.list': get(ofWorkspace, 200),
  'workspace-variables.create': post(ofWorkspace, 201, { ...creation, dryRun: true }),
  'workspace-variables.show': get(one, 200),
  'workspace-variables.update': patch(one, 200, { ...change, dryRun: true }),
  'workspace-variables.verify': post(`${one}/actions/verify`, 200, verification),
  'workspace-variables.delete': remove(one, 204, withDryRun),

  'variable-keys.list': get(`${ORGANIZATION}/variable-keys`, 200),
} satisfies Routes;

const setsOfOrganization = `${ORGANIZATION}/varsets` as const;
const set = `${BASE_PATH}/varsets/{varset_id}` as const;
const vars = `${set}/relationships/vars` as const;
const oneVariable = `${vars}/{variable_id}` as const;
const workspaces = `${set}/relationships/workspaces` as const;
const projects = `${set}/relationships/projects` as const;
const includes = ['workspaces', 'projects', 'vars'] as const;
const someWorkspaces = { ...withDryRun, body: required('assignedWorkspaces') };
const someProjects = { body: required('assignedProjects') };

/** Variable sets, their variables and their assignments (docs/reference/variable-sets.md). */
export const variableSets = {
  'varsets.list': get(setsOfOrganization, 200, { includes }),
  'workspace-varsets.list': get(`${WORKSPACE}/varsets`, 200, { includes }),
  'applicable-varsets.list': get(`${WORKSPACE}/applicable-varsets`, 200, { includes }),
  'project-varsets.list': get(`${BASE_PATH}/projects/{project_id}/varsets`, 200, { includes }),
  'varsets.create': post(setsOfOrganization, 201, { body: required('variableSet') }),
  'varsets.show': get(set, 200, { includes }),
  'varsets.update': patch(set, 200, { body: required('variableSet'), conditional: true }),
  'varsets.delete': remove(set, 204, { conditional: true }),
  'varsets.add-workspaces': post(workspaces, 204, someWorkspaces),
  'varsets.remove-workspaces': remove(workspaces, 204, someWorkspaces),
  'varsets.add-projects': post(projects, 204, someProjects),
  'varsets.remove-projects': remove(projects, 204, someProjects),

  'varset-variables.list': get(vars, 200),
  'varset-variables.create': post(vars, 201, creation),
  'varset-variables.show': get(oneVariable, 200),
  'varset-variables.update': patch(oneVariable, 200, change),
  'varset-variables.verify': post(`${oneVariable}/actions/verify`, 200, verification),
  'varset-variables.delete': remove(oneVariable, 204, { conditional: true }),

  'all-variables.list': get(`${WORKSPACE}/all-vars`, 200),
} satisfies Routes;
