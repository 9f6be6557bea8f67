import Type, { type TProperties } from 'typebox';
import { filters } from '../../list-index/filters.ts';
import { sortValues } from '../../list-index/query-values.ts';
import { count, oneOf } from '../../schemas/schema.ts';
import { workspaceInclusions as include } from '../inclusions.ts';
import { type Group, one, page } from '../operation.ts';
import { dryRun, workspace } from '../resources.ts';

const NEEDS = 'The caller needs';
const safeDeleteErrors = {
  409: 'The workspace is protected, it is locked, its state is being processed, or it manages resources.',
} as const;
const forceDeleteErrors = {
  403: 'The caller may see the workspace, but may not force delete it.',
  409: 'The workspace is protected against deletion.',
} as const;

/** Returns the query parameters of the filters of a list. */
export const filterParameters = (): TProperties =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, { schema }]) => {
      const suffixes = Object.entries(schema).filter(([key]) => key.startsWith('['));
      return suffixes.length > 0 ? suffixes.map(([suffix, inner]) => [`${name}${suffix}`, inner]) : [[name, schema]];
    }),
  );

const statusCounts = Type.Unsafe({
  type: 'object',
  description:
    'Number of workspaces on all pages by the status of the current run; `total` is the number of all of them.',
  patternProperties: { '^[a-z_]+$': count() },
  additionalProperties: false,
});

/** Workspaces, their locks and their deletion (docs/reference/workspaces.md). */
export const workspaces = {
  name: 'Workspaces',
  description: 'Workspaces with their settings, locks and deletion.',
  response: one(workspace),
  operations: {
    'workspaces.create': {
      summary: 'Create a workspace',
      description: `Creates it in the project that the body names, or in the default project of the organization. ${NEEDS} to be an owner, to have permission to manage all workspaces or projects, or to have permission to create workspaces in that project.`,
      rule: 'WS-17',
      body: 'Unknown attributes are ignored. Absent attributes have their defaults.',
    },
    'workspaces.show': { summary: 'Show a workspace', rule: 'WS-6', include },
    'workspaces.show-by-name': { summary: 'Show a workspace by its name', rule: 'WS-6', include },
    'workspaces.update': {
      summary: 'Update a workspace',
      description: `Attributes that are not in the body stay unchanged. ${NEEDS} admin access; to move it to another project, admin access to both.`,
      rule: 'WS-22',
      body: 'Unknown attributes are ignored.',
      response: one(workspace, dryRun),
      errors: { 403: 'The caller may see both projects, but may not move workspaces between them.' },
    },
    'workspaces.update-by-name': {
      summary: 'Update a workspace by its name',
      description: 'Same as the update by id. If the request renames the workspace, the response has the new name.',
      rule: 'WS-22',
      body: 'Unknown attributes are ignored.',
      response: one(workspace, dryRun),
      errors: { 403: 'The caller may see both projects, but may not move workspaces between them.' },
    },
    'workspaces.list': {
      summary: "List an organization's workspaces",
      description:
        'Returns the workspaces that the caller may read; totals count no others. A workspace has to match all searches and filters; an empty one matches every workspace. Ties are broken by id. Workspaces without a run, or without a lock, come last in both directions.',
      rule: 'LIST-1',
      query: {
        ...filterParameters(),
        sort: oneOf(sortValues(), 'Sort order; a hyphen means descending. Default: `name`.'),
      },
      response: { ...page(workspace), meta: { 'status-counts': statusCounts } },
      include,
    },

    'workspaces.lock': {
      summary: 'Lock a workspace',
      description: `Only the lock holder can unlock the workspace. ${NEEDS} permission to lock; organization tokens do not have it.`,
      rule: 'LOCK-1',
      body: 'Optional reason for the lock and length of its lease, as an object or in a document.',
      errors: {
        409: 'The workspace is already locked, possibly by the caller. `meta` names the holder, the time and the reason of the lock, and the end of its lease.',
      },
    },
    'workspaces.unlock': {
      summary: 'Unlock a workspace',
      description: 'The newest intermediate state version becomes the current one.',
      rule: 'LOCK-6',
      errors: {
        409: 'The workspace is not locked, or the caller does not hold the lock.',
        503: 'The newest state version is still pending, or the service is busy. Try again.',
      },
    },
    'workspaces.renew-lock': {
      summary: 'Renew the lease of a lock',
      description: 'Only the lock holder can renew the lease, and only before it has expired.',
      rule: 'LOCK-19',
      body: 'Optional length of the lease from now, as an object or in a document. Without it, the length stays.',
      errors: {
        409: 'The workspace is not locked, the caller does not hold the lock, the lock has no lease, or the lease has expired.',
      },
    },
    'workspaces.force-unlock': {
      summary: 'Force-unlock a workspace',
      description: `${NEEDS} admin access.`,
      rule: 'LOCK-10',
      body: 'Optional reason, as an object or in a document. It is part of the event.',
      errors: { 409: 'The workspace is not locked.' },
    },

    'workspaces.safe-delete': { summary: 'Safe-delete a workspace', rule: 'DEL-1', errors: safeDeleteErrors },
    'workspaces.safe-delete-by-name': {
      summary: 'Safe-delete a workspace by its name',
      rule: 'DEL-1',
      errors: safeDeleteErrors,
    },
    'workspaces.force-delete': {
      summary: 'Force-delete a workspace',
      description: `${NEEDS} to be an owner, or to have admin access in an organization that lets admins force delete.`,
      rule: 'DEL-6',
      errors: forceDeleteErrors,
    },
    'workspaces.force-delete-by-name': {
      summary: 'Force-delete a workspace by its name',
      rule: 'DEL-6',
      errors: forceDeleteErrors,
    },
  },
} satisfies Group;
