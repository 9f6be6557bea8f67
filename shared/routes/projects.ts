import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, required, routesOf } from './route.ts';

const { get, post, patch, remove } = routesOf('projects');
const ofOrganization = `${ORGANIZATION}/projects` as const;
const byId = `${BASE_PATH}/projects/{project_id}` as const;
const bindings = { conditional: true, body: required('tagBindings') } as const;

/** Values of `include` for projects (PROJECT-10). */
const includes = ['effective_tag_bindings', 'organization'] as const;
export type ProjectInclude = (typeof includes)[number];

/** Projects (docs/reference/projects.md). */
export const projects = {
  'projects.list': get(ofOrganization, 200, { includes }),
  'projects.create': post(ofOrganization, 201, { body: required('project') }),
  'projects.show': get(byId, 200, { includes }),
  'projects.update': patch(byId, 200, { conditional: true, body: required('project') }),
  'projects.delete': remove(byId, 204, { conditional: true }),
  'projects.move-workspaces': post(`${byId}/relationships/workspaces`, 204, { body: required('projectWorkspaces') }),
  'projects.list-bindings': get(`${byId}/tag-bindings`, 200),
  'projects.add-bindings': patch(`${byId}/tag-bindings`, 200, bindings),
  'projects.list-related-bindings': get(`${byId}/relationships/tag-bindings`, 200),
  'projects.add-related-bindings': post(`${byId}/relationships/tag-bindings`, 204, bindings),
  'projects.replace-bindings': patch(`${byId}/relationships/tag-bindings`, 200, bindings),
  'projects.list-effective-bindings': get(`${byId}/effective-tag-bindings`, 200),
} satisfies Routes;
