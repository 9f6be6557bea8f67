import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/projects` as const;
const byId = `${BASE_PATH}/projects/{project_id}` as const;

/** Values of `include` for projects (PROJECT-10). */
const projectIncludes = ['effective_tag_bindings', 'organization'] as const;
export type ProjectInclude = (typeof projectIncludes)[number];

/** Projects (docs/reference/projects.md). */
export const projects = {
  'projects.list': {
    method: 'GET',
    path: ofOrganization,
    function: 'projects',
    status: 200,
    includes: projectIncludes,
  },
  'projects.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'projects',
    status: 201,
    body: { schema: 'project', required: true },
  },
  'projects.show': { method: 'GET', path: byId, function: 'projects', status: 200, includes: projectIncludes },
  'projects.update': {
    method: 'PATCH',
    path: byId,
    function: 'projects',
    status: 200,
    conditional: true,
    body: { schema: 'project', required: true },
  },
  'projects.delete': { method: 'DELETE', path: byId, function: 'projects', status: 204, conditional: true },
  'projects.move-workspaces': {
    method: 'POST',
    path: `${byId}/relationships/workspaces`,
    function: 'projects',
    status: 204,
    body: { schema: 'projectWorkspaces', required: true },
  },
  'projects.list-bindings': { method: 'GET', path: `${byId}/tag-bindings`, function: 'projects', status: 200 },
  'projects.add-bindings': {
    method: 'PATCH',
    path: `${byId}/tag-bindings`,
    function: 'projects',
    status: 200,
    conditional: true,
    body: { schema: 'tagBindings', required: true },
  },
  'projects.replace-bindings': {
    method: 'PATCH',
    path: `${byId}/relationships/tag-bindings`,
    function: 'projects',
    status: 200,
    conditional: true,
    body: { schema: 'tagBindings', required: true },
  },
  'projects.list-effective-bindings': {
    method: 'GET',
    path: `${byId}/effective-tag-bindings`,
    function: 'projects',
    status: 200,
  },
} as const satisfies Routes;
