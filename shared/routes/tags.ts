import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, WORKSPACE } from './route.ts';

const tagsOfWorkspace = `${WORKSPACE}/relationships/tags` as const;
const tagsOfOrganization = `${ORGANIZATION}/tags` as const;
const bindings = `${WORKSPACE}/tag-bindings` as const;
const relatedBindings = `${WORKSPACE}/relationships/tag-bindings` as const;

/** Tags and tag bindings (docs/reference/tags.md). */
export const tags = {
  'workspace-tags.list': { method: 'GET', path: tagsOfWorkspace, function: 'workspace-tags', status: 200 },
  'workspace-tags.add': {
    method: 'POST',
    path: tagsOfWorkspace,
    function: 'workspace-tags',
    status: 204,
    conditional: true,
    body: { schema: 'tags', required: true },
  },
  'workspace-tags.remove': {
    method: 'DELETE',
    path: tagsOfWorkspace,
    function: 'workspace-tags',
    status: 204,
    conditional: true,
    body: { schema: 'tags', required: true },
  },

  'tag-bindings.list': { method: 'GET', path: bindings, function: 'workspace-tags', status: 200 },
  'tag-bindings.add': {
    method: 'PATCH',
    path: bindings,
    function: 'workspace-tags',
    status: 200,
    conditional: true,
    body: { schema: 'tagBindings', required: true },
  },
  'tag-bindings.list-related': { method: 'GET', path: relatedBindings, function: 'workspace-tags', status: 200 },
  'tag-bindings.add-related': {
    method: 'POST',
    path: relatedBindings,
    function: 'workspace-tags',
    status: 204,
    conditional: true,
    body: { schema: 'tagBindings', required: true },
  },
  'tag-bindings.replace-related': {
    method: 'PATCH',
    path: relatedBindings,
    function: 'workspace-tags',
    status: 204,
    conditional: true,
    body: { schema: 'tagBindings', required: true },
  },
  'effective-tag-bindings.list': {
    method: 'GET',
    path: `${WORKSPACE}/effective-tag-bindings`,
    function: 'workspace-tags',
    status: 200,
  },

  'tags.list': { method: 'GET', path: tagsOfOrganization, function: 'workspace-tags', status: 200 },
  'tags.delete': {
    method: 'DELETE',
    path: tagsOfOrganization,
    function: 'workspace-tags',
    status: 204,
    body: { schema: 'tags', required: true },
  },
  'tags.add-to-workspaces': {
    method: 'POST',
    path: `${BASE_PATH}/tags/{tag_id}/relationships/workspaces`,
    function: 'workspace-tags',
    status: 204,
    body: { schema: 'tagWorkspaces', required: true },
  },
} as const satisfies Routes;
