import { BASE_PATH } from './api.ts';
import { type Routes, WORKSPACE } from './route.ts';

const old = `${BASE_PATH}/vars` as const;
const ofWorkspace = `${WORKSPACE}/vars` as const;
const one = '/{variable_id}';
const fn = 'variables';

/** Since 1 January 2026 (HTTP-26). */
const deprecated = <const S extends string>(successor: S) => ({ since: 1_767_225_600, successor }) as const;

/** Variables, by the deprecated paths and by their successors (docs/reference/variables.md). */
export const variables = {
  'variables.list': { method: 'GET', path: old, function: fn, status: 200, deprecated: deprecated(ofWorkspace) },
  'variables.create': {
    method: 'POST',
    path: old,
    function: fn,
    status: 201,
    body: { schema: 'newVariable', required: true },
    deprecated: deprecated(ofWorkspace),
  },
  'variables.update': {
    method: 'PATCH',
    path: `${old}${one}`,
    function: fn,
    status: 200,
    conditional: true,
    body: { schema: 'variable', required: true },
    deprecated: deprecated(`${ofWorkspace}${one}`),
  },
  'variables.delete': {
    method: 'DELETE',
    path: `${old}${one}`,
    function: fn,
    status: 204,
    conditional: true,
    deprecated: deprecated(`${ofWorkspace}${one}`),
  },

  'workspace-variables.list': { method: 'GET', path: ofWorkspace, function: fn, status: 200 },
  'workspace-variables.create': {
    method: 'POST',
    path: ofWorkspace,
    function: fn,
    status: 201,
    body: { schema: 'newWorkspaceVariable', required: true },
  },
  'workspace-variables.show': { method: 'GET', path: `${ofWorkspace}${one}`, function: fn, status: 200 },
  'workspace-variables.update': {
    method: 'PATCH',
    path: `${ofWorkspace}${one}`,
    function: fn,
    status: 200,
    conditional: true,
    body: { schema: 'variable', required: true },
  },
  'workspace-variables.verify': {
    method: 'POST',
    path: `${ofWorkspace}${one}/actions/verify`,
    function: fn,
    status: 200,
    body: { schema: 'variableVerification', required: true },
  },
  'workspace-variables.delete': {
    method: 'DELETE',
    path: `${ofWorkspace}${one}`,
    function: fn,
    status: 204,
    conditional: true,
  },
} as const satisfies Routes;
