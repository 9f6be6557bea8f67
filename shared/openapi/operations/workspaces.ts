import Type, { type TSchema } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { workspaceInclusions as include, workspace } from '../../resources/workspaces/openapi.ts';
import type { workspaces as routes } from '../../routes/workspaces.ts';
import { count, oneOf, text } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';

const WHICH = 'The caller needs';

/** What a list is narrowed to. */
const value = (examples?: readonly string[]): TSchema =>
  text(undefined, { maxLength: limits.filterValue, ...(examples && { examples }) });

const statusCounts = Type.Unsafe({
  type: 'object',
  description: 'How many of all pages have a current run, by its status; `total` is how many there are in all.',
  patternProperties: { '^[a-z_]+$': count() },
  additionalProperties: false,
});

/** Workspaces, their locks and their deletion (docs/reference/workspaces.md). */
export const workspaces: Group<keyof typeof routes> = {
  name: 'Workspaces',
  description: 'Running infrastructure: its settings, its lock, its end.',
  operations: {
    'workspaces.create': {
      summary: 'Create a workspace',
      description: `In the project that the body names, or in the organization's default project. ${WHICH} to be an owner, to manage all workspaces or projects, or to be allowed to create in that project.`,
      rule: 'WS-17',
      body: 'Unknown attributes are ignored. What is left out has its default.',
      answers: one(workspace),
    },
    'workspaces.show': {
      summary: 'Show a workspace',
      rule: 'WS-6',
      answers: one(workspace),
      include,
    },
    'workspaces.show-by-name': {
      summary: 'Show a workspace by its name',
      rule: 'WS-6',
      answers: one(workspace),
      include,
    },
    'workspaces.update': {
      summary: 'Update a workspace',
      description: `What the body leaves out stays as it is. ${WHICH} admin access; to move it to another project, admin access to both.`,
      rule: 'WS-22',
      body: 'Unknown attributes are ignored.',
      answers: one(workspace),
      refuses: { 403: 'The caller sees both projects, but may not move workspaces between them.' },
    },
    'workspaces.update-by-name': {
      summary: 'Update a workspace by its name',
      description: 'As by id; a request that renames it is answered under the new name.',
      rule: 'WS-22',
      body: 'Unknown attributes are ignored.',
      answers: one(workspace),
      refuses: { 403: 'The caller sees both projects, but may not move workspaces between them.' },
    },
    'workspaces.list': {
      summary: "List an organization's workspaces",
      description:
        'Those that the caller may read; totals count no others. Searches and filters have to hold all at once; an empty one narrows nothing. What is equal in the order goes by id, and workspaces without a run come last either way.',
      rule: 'LIST-1',
      query: {
        'search[name]': { description: 'A part of the name, whatever the case.', schema: value() },
        'search[wildcard-name]': {
          description: 'The whole name, whatever the case; `*` stands for any text.',
          schema: value(['*-prod']),
        },
        'search[tags]': {
          description: 'Tags, or keys of tag bindings, that it has all, comma-separated.',
          schema: text(),
        },
        'search[exclude-tags]': {
          description: 'Tags, or keys of tag bindings, of which it has none, comma-separated.',
          schema: text(),
        },
        'filter[project][id]': { description: 'The project that it is in.', schema: value() },
        'filter[current-run][status]': {
          description: 'Statuses, of which its current run has one, comma-separated.',
          schema: text(undefined, { examples: ['applied,planned_and_finished'] }),
        },
        'filter[tagged][0][key]': {
          description:
            "A tag, or the key of a tag binding, in force on it, its own or its project's. Further ones are `filter[tagged][1][key]` and so on; it has them all.",
          schema: value(),
        },
        'filter[tagged][0][value]': {
          description: 'The value that the binding of that key has; any, or none, where empty or absent.',
          schema: value(),
        },
        sort: {
          description: 'Order, backwards with a hyphen; `name` unless told otherwise.',
          schema: oneOf(
            ['name', 'current-run.created-at', 'latest-change-at'].flatMap((order) => [order, `-${order}`]),
          ),
        },
      },
      answers: { ...page(workspace), meta: { 'status-counts': statusCounts } },
      include,
    },

    'workspaces.lock': {
      summary: 'Lock a workspace',
      description: `Whoever holds the lock, and only they, can unlock it. ${WHICH} permission to lock; a token of an organization has none.`,
      rule: 'LOCK-1',
      body: 'Why, for others to see; bare, inside a document, or not at all.',
      answers: one(workspace),
      refuses: { 409: 'It is locked already, also when the caller holds the lock.' },
    },
    'workspaces.unlock': {
      summary: 'Unlock a workspace',
      description: 'The newest intermediate state version becomes the current one.',
      rule: 'LOCK-6',
      answers: one(workspace),
      refuses: {
        409: 'It is not locked, or locked by somebody else.',
        503: 'Its newest state version is still pending, or the service is busy. Try again.',
      },
    },
    'workspaces.force-unlock': {
      summary: 'Force-unlock a workspace',
      description: `${WHICH} admin access.`,
      rule: 'LOCK-10',
      answers: one(workspace),
      refuses: { 409: 'It is not locked.' },
    },

    'workspaces.safe-delete': {
      summary: 'Safe-delete a workspace',
      rule: 'DEL-1',
      refuses: { 409: 'It is locked, its state is being processed, or it manages resources.' },
    },
    'workspaces.safe-delete-by-name': {
      summary: 'Safe-delete a workspace by its name',
      rule: 'DEL-1',
      refuses: { 409: 'It is locked, its state is being processed, or it manages resources.' },
    },
    'workspaces.force-delete': {
      summary: 'Force delete a workspace',
      description: `${WHICH} to be an owner, or admin access where the organization lets admins force delete.`,
      rule: 'DEL-6',
      refuses: { 403: 'The caller sees the workspace, but may not force delete it.' },
    },
    'workspaces.force-delete-by-name': {
      summary: 'Force delete a workspace by its name',
      rule: 'DEL-6',
      refuses: { 403: 'The caller sees the workspace, but may not force delete it.' },
    },
  },
};
