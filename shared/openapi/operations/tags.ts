import { effectiveTagBinding, tag, tagBinding } from '../../resources/tags/openapi.ts';
import type { tags as routes } from '../../routes/tags.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, page } from '../operation.ts';

const MANAGE = 'The caller needs permission to manage tags, which admins of the workspace have.';
const WHOLE = 'One request is one step: it is done whole, or refused and nothing is done.';
const TOO_MANY = 'An element cannot be a tag, or the workspace would have more than 40 tags.';
const TOO_MANY_BINDINGS =
  'A key or value cannot be one, or the workspace would have more than 10 bindings with a value, or 40 tags.';
const NO_SUCH = 'There is no such workspace for the caller, no permission to manage its tags, or no tag of an id.';

/** Tags and tag bindings (docs/reference/tags.md). */
export const tags: Group<keyof typeof routes> = {
  name: 'Tags',
  description:
    'What workspaces are grouped and found by: flat names, and keys with values (bindings). Names and keys share one space: a workspace has each once, with a value or without. A project passes its bindings on to its workspaces.',
  operations: {
    'workspace-tags.list': {
      summary: "List a workspace's tags",
      description: 'In the order in which they were added.',
      rule: 'TAG-5',
      query: { name: { description: 'Only names with this in them, in any case.', schema: text() } },
      answers: page(tag),
    },
    'workspace-tags.add': {
      summary: 'Add tags to a workspace',
      description: `A name that the organization does not have yet makes a new tag. What the workspace has already stays as it is. ${MANAGE} ${WHOLE}`,
      rule: 'TAG-6',
      body: 'Tags by their names, or by the ids of tags that the organization has; where an element has both, the id counts.',
      refuses: { 404: NO_SUCH, 422: TOO_MANY },
    },
    'workspace-tags.remove': {
      summary: 'Remove tags from a workspace',
      description: `Names that it does not have, and keys with a value, are passed over. ${MANAGE} ${WHOLE}`,
      rule: 'TAG-6',
      body: 'Tags by their names, or by the ids of tags that the organization has.',
      refuses: { 404: NO_SUCH },
    },

    'tag-bindings.list': {
      summary: "List a workspace's own bindings",
      description: 'And its flat tags, with an empty value.',
      rule: 'TAG-17',
      answers: list(tagBinding),
    },
    'tag-bindings.add': {
      summary: 'Add or change bindings of a workspace',
      description: `Keys that it has already get the value given; without a value they are flat tags. ${MANAGE} ${WHOLE}`,
      rule: 'TAG-15',
      answers: list(tagBinding),
      refuses: { 422: TOO_MANY_BINDINGS },
    },
    'tag-bindings.list-related': {
      summary: "List a workspace's own bindings, as a relationship",
      rule: 'TAG-17',
      answers: list(tagBinding),
    },
    'tag-bindings.add-related': {
      summary: 'Add or change bindings of a workspace, as a relationship',
      description: `${MANAGE} ${WHOLE}`,
      rule: 'TAG-15',
      refuses: { 422: TOO_MANY_BINDINGS },
    },
    'tag-bindings.replace-related': {
      summary: "Replace a workspace's bindings",
      description: `Those that have a value and are not among the given ones go; flat tags stay. ${MANAGE} ${WHOLE}`,
      rule: 'TAG-14',
      refuses: { 422: TOO_MANY_BINDINGS },
    },
    'effective-tag-bindings.list': {
      summary: 'List the bindings in force on a workspace',
      description: "Its own, and those of its project's whose keys it does not have itself.",
      rule: 'TAG-17',
      answers: list(effectiveTagBinding),
    },

    'tags.list': {
      summary: "List an organization's tags",
      description: 'Every tag that one of its workspaces has, by name. All members of the organization see them.',
      rule: 'TAG-11',
      query: {
        q: { description: 'Only names with this in them, in any case.', schema: text() },
        'filter[exclude][taggable][id]': {
          description: 'A workspace; without the tags that it has.',
          schema: text(),
        },
      },
      answers: page(tag),
    },
    'tags.delete': {
      summary: 'Remove tags from all workspaces',
      description:
        'The caller needs to manage all workspaces of the organization. Each workspace is a change of its own, and keys with a value are passed over. It can be repeated: tags that are not there are passed over too.',
      rule: 'TAG-12',
      refuses: { 503: 'The service is busy, or the tags are on very many workspaces. Repeat the request to go on.' },
    },
    'tags.add-to-workspaces': {
      summary: 'Add a tag to several workspaces',
      description: `${MANAGE} All workspaces are looked at before the first is changed; each is a change of its own.`,
      rule: 'TAG-13',
      refuses: { 422: 'One of the workspaces would have more than 40 tags.' },
    },
  },
};
