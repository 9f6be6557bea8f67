import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, required, routesOf, WORKSPACE, withDryRun } from './route.ts';

const { get, post, patch, remove } = routesOf('workspace-tags');
const tagsOfWorkspace = `${WORKSPACE}/relationships/tags` as const;
const tagsOfOrganization = `${ORGANIZATION}/tags` as const;
const bindings = `${WORKSPACE}/tag-bindings` as const;
const relatedBindings = `${WORKSPACE}/relationships/tag-bindings` as const;
const someTags = { ...withDryRun, body: required('tags') } as const;
const someBindings = { conditional: true, body: required('tagBindings') } as const;

/** Tags and tag bindings (docs/reference/tags.md). */
export const tags = {
  'workspace-tags.list': get(tagsOfWorkspace, 200),
  'workspace-tags.add': post(tagsOfWorkspace, 204, someTags),
  'workspace-tags.remove': remove(tagsOfWorkspace, 204, someTags),

  'tag-bindings.list': get(bindings, 200),
  'tag-bindings.add': patch(bindings, 200, someBindings),
  'tag-bindings.list-related': get(relatedBindings, 200),
  'tag-bindings.add-related': post(relatedBindings, 204, { ...someBindings, ...withDryRun }),
  'tag-bindings.replace-related': patch(relatedBindings, 204, { ...someBindings, ...withDryRun }),
  'effective-tag-bindings.list': get(`${WORKSPACE}/effective-tag-bindings`, 200),

  'tags.list': get(tagsOfOrganization, 200),
  'tags.delete': remove(tagsOfOrganization, 204, { body: required('tags') }),
  'tags.add-to-workspaces': post(`${BASE_PATH}/tags/{tag_id}/relationships/workspaces`, 204, {
    body: required('tagWorkspaces'),
  }),
} satisfies Routes;
