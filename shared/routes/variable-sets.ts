import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, WORKSPACE } from './route.ts';

const ofOrganization = `${ORGANIZATION}/varsets` as const;
const byId = `${BASE_PATH}/varsets/{varset_id}` as const;
const vars = `${byId}/relationships/vars` as const;
const oneVariable = `${vars}/{variable_id}` as const;
const fn = 'variables';
const includes = ['workspaces', 'projects', 'vars'] as const;
const list = { method: 'GET', function: fn, status: 200, includes } as const;
const variableSet = { schema: 'variableSet', required: true } as const;
const assignment = { function: fn, status: 204 } as const;
const workspaces = {
  ...assignment,
  path: `${byId}/relationships/workspaces`,
  body: { schema: 'assignedWorkspaces', required: true },
} as const;
const projects = {
  ...assignment,
  path: `${byId}/relationships/projects`,
  body: { schema: 'assignedProjects', required: true },
} as const;

/** Variable sets, their variables and their assignments (docs/reference/variable-sets.md). */
export const variableSets = {
  'varsets.list': { ...list, path: ofOrganization },
  'workspace-varsets.list': { ...list, path: `${WORKSPACE}/varsets` },
  'project-varsets.list': { ...list, path: `${BASE_PATH}/projects/{project_id}/varsets` },
  'varsets.create': { method: 'POST', path: ofOrganization, function: fn, status: 201, body: variableSet },
  'varsets.show': { method: 'GET', path: byId, function: fn, status: 200, includes },
  'varsets.update': { method: 'PATCH', path: byId, function: fn, status: 200, body: variableSet, conditional: true },
  'varsets.delete': { method: 'DELETE', path: byId, function: fn, status: 204, conditional: true },
  'varsets.add-workspaces': { ...workspaces, method: 'POST' },
  'varsets.remove-workspaces': { ...workspaces, method: 'DELETE' },
  'varsets.add-projects': { ...projects, method: 'POST' },
  'varsets.remove-projects': { ...projects, method: 'DELETE' },

  'varset-variables.list': { method: 'GET', path: vars, function: fn, status: 200 },
  'varset-variables.create': {
    method: 'POST',
    path: vars,
    function: fn,
    status: 201,
    body: { schema: 'newWorkspaceVariable', required: true },
  },
  'varset-variables.show': { method: 'GET', path: oneVariable, function: fn, status: 200 },
  'varset-variables.update': {
    method: 'PATCH',
    path: oneVariable,
    function: fn,
    status: 200,
    conditional: true,
    body: { schema: 'variable', required: true },
  },
  'varset-variables.verify': {
    method: 'POST',
    path: `${oneVariable}/actions/verify`,
    function: fn,
    status: 200,
    body: { schema: 'variableVerification', required: true },
  },
  'varset-variables.delete': { method: 'DELETE', path: oneVariable, function: fn, status: 204, conditional: true },

  'all-variables.list': { method: 'GET', path: `${WORKSPACE}/all-vars`, function: fn, status: 200 },
} as const satisfies Routes;
