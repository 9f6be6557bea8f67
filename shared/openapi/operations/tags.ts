import { text } from '../../schemas/schema.ts';
import { type Group, list, page } from '../operation.ts';
import { effectiveTagBinding, tag, tagBinding } from '../resources.ts';

const MANAGE = 'The caller needs permission to manage tags of the workspace, which admin access includes.';
const ATOMIC = 'The request is atomic.';
const TOO_MANY = 'An element is not a valid tag, or the workspace would have more than 40 tags.';
const TOO_MANY_BINDINGS =
  'A key or value is invalid, or the workspace would have more than 10 bindings with a value, or 40 tags.';
const NO_SUCH =
  'The workspace or a tag does not exist, the caller may not see the workspace, or the caller may not manage its tags.';

/** Tags and tag bindings (docs/reference/tags.md). */
export const tags = {
  name: 'Tags',
  description:
    'Flat tags, and tag bindings with a key and a value. Names and keys share one namespace: a workspace has each of them at most once, with or without a value. Workspaces inherit the bindings of their project.',
  operations: {
    'workspace-tags.list': {
      summary: "List a workspace's tags",
      description: 'Returns the tags in the order in which they were added.',
      rule: 'TAG-5',
      query: { name: text('Part of the name, ignoring case.') },
      response: page(tag),
    },
    'workspace-tags.add': {
      summary: 'Add tags to a workspace',
      description: `An unknown name creates a tag. Tags that the workspace already has stay unchanged. ${MANAGE} ${ATOMIC}`,
      rule: 'TAG-6',
      body: 'Names of tags, or ids of tags of the organization. An id takes precedence over a name.',
      errors: { 404: NO_SUCH, 422: TOO_MANY },
    },
    'workspace-tags.remove': {
      summary: 'Remove tags from a workspace',
      description: `Names that the workspace does not have, and keys with a value, are ignored. ${MANAGE} ${ATOMIC}`,
      rule: 'TAG-6',
      body: 'Names of tags, or ids of tags of the organization.',
      errors: { 404: NO_SUCH },
    },

    'tag-bindings.list': {
      summary: "List a workspace's own bindings",
      description: 'Includes its flat tags, with an empty value.',
      rule: 'TAG-17',
      response: list(tagBinding),
    },
    'tag-bindings.add': {
      summary: 'Add or change bindings of a workspace',
      description: `An existing key gets the new value; a key without a value becomes a flat tag. ${MANAGE} ${ATOMIC}`,
      rule: 'TAG-15',
      response: list(tagBinding),
      errors: { 422: TOO_MANY_BINDINGS },
    },
    'tag-bindings.list-related': {
      summary: "List a workspace's own bindings, as a relationship",
      rule: 'TAG-17',
      response: list(tagBinding),
    },
    'tag-bindings.add-related': {
      summary: 'Add or change bindings of a workspace, as a relationship',
      description: `${MANAGE} ${ATOMIC}`,
      rule: 'TAG-15',
      errors: { 422: TOO_MANY_BINDINGS },
    },
    'tag-bindings.replace-related': {
      summary: "Replace a workspace's bindings",
      description: `Removes the bindings with a value whose keys are not in the body; flat tags stay. ${MANAGE} ${ATOMIC}`,
      rule: 'TAG-14',
      errors: { 422: TOO_MANY_BINDINGS },
    },
    'effective-tag-bindings.list': {
      summary: 'List the effective bindings of a workspace',
      description: 'Returns its own bindings, and those of its project whose keys the workspace does not have itself.',
      rule: 'TAG-17',
      response: list(effectiveTagBinding),
    },

    'tags.list': {
      summary: "List an organization's tags",
      description:
        'Returns all tags of workspaces of the organization, ordered by name. All members of the organization see them.',
      rule: 'TAG-11',
      query: {
        q: text('Part of the name, ignoring case.'),
        'filter[exclude][taggable][id]': text('Id of a workspace whose tags are excluded.'),
      },
      response: page(tag),
    },
    'tags.delete': {
      summary: 'Remove tags from all workspaces',
      description:
        'The caller needs permission to manage all workspaces of the organization. Each workspace is changed on its own. Keys with a value are not removed. The request can be repeated: missing tags are ignored.',
      rule: 'TAG-12',
      errors: { 503: 'The service is busy, or the tags are on very many workspaces. Repeat the request to continue.' },
    },
    'tags.add-to-workspaces': {
      summary: 'Add a tag to several workspaces',
      description: `${MANAGE} All workspaces are checked before the first is changed. Each workspace is changed on its own.`,
      rule: 'TAG-13',
      errors: { 422: 'One of the workspaces would have more than 40 tags.' },
    },
  },
} satisfies Group;
