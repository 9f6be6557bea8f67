import Type, { type TProperties } from 'typebox';
import { droppedTypes } from '../../domain/transitions/workspaces/restore-workspace.ts';
import { sortValues } from '../../jsonapi/sort.ts';
import { filters } from '../../list-index/filters.ts';
import { sortValues as workspaceSorts } from '../../list-index/query-values.ts';
import { recoverableTypes } from '../../resources/recoverable-items/attributes.ts';
import { count, flag, list, object, oneOf, optional, text, time } from '../../schemas/schema.ts';
import { workspaceInclusions as include } from '../inclusions.ts';
import { type Group, one, page } from '../operation.ts';
import {
  deletedWorkspace,
  dryRun,
  organizationStatistics,
  recoverableItem,
  retentionPolicies,
  workspace,
} from '../resources.ts';

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
        sort: oneOf(workspaceSorts(), 'Sort order; a hyphen means descending. Default: `name`.'),
      },
      response: { ...page(workspace), meta: { 'status-counts': statusCounts } },
      include,
    },
    'organizations.statistics': {
      summary: 'Count the workspaces of an organization',
      description:
        'Returns numbers of the workspaces that the caller may read. Each is the total of a list with a filter.',
      rule: 'STAT-1',
      response: one(organizationStatistics),
    },

    'workspaces.lock': {
      summary: 'Lock a workspace',
      description: `Only the lock holder can unlock the workspace. ${NEEDS} permission to lock; organization tokens do not have it.`,
      rule: 'LOCK-1',
      response: one(workspace, dryRun),
      body: 'Optional reason for the lock and length of its lease, as an object or in a document.',
      errors: {
        409: 'The workspace is already locked, possibly by the caller. `meta` names the holder, the time and the reason of the lock, and the end of its lease.',
      },
    },
    'workspaces.unlock': {
      summary: 'Unlock a workspace',
      description: 'The newest intermediate state version becomes the current one.',
      rule: 'LOCK-6',
      response: one(workspace, dryRun),
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
      response: one(workspace, dryRun),
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

const WHO =
  'The caller needs permission to delete the workspace and to create workspaces in its project, or in the default project if its project was deleted.';

const NOT_OWNER = 'The caller may restore the workspace, but is not an owner.';

const dropped = list(
  object({
    type: oneOf(droppedTypes, '`attributes` for an attribute that was cleared.'),
    id: text('Id of the record, or name of the attribute.'),
  }),
  'What the workspace referred to and no longer exists, and a due time of a destroy run that has passed.',
);

/** Deleted workspaces that can be restored (docs/reference/deletion.md). */
export const deletedWorkspaces = {
  name: 'Deleted workspaces',
  description: 'Workspaces that were deleted and can be restored for some time.',
  response: one(deletedWorkspace),
  operations: {
    'deleted-workspaces.list': {
      summary: "List an organization's deleted workspaces",
      description: 'Returns the deleted workspaces that the caller may restore, the last deleted one first.',
      rule: 'DEL-17',
      response: {
        ...page(deletedWorkspace),
        meta: {
          'restorable-days': count(
            'Days for which a workspace that is deleted now can be restored; 0 if deletions are final.',
          ),
        },
      },
    },
    'deleted-workspaces.show': { summary: 'Show a deleted workspace', description: WHO, rule: 'DEL-17' },
    'deleted-workspaces.restore': {
      summary: 'Restore a deleted workspace',
      description: `Returns the workspace. \`meta.dropped\` names what it has lost because it no longer exists or is no longer allowed. ${WHO}`,
      rule: 'DEL-18',
      body: 'Optional name, needed if another workspace has the old one.',
      response: { ...one(workspace, dryRun), meta: { dropped: optional(dropped) } },
    },
    'deleted-workspaces.purge': {
      summary: 'Delete a deleted workspace permanently',
      description: 'The caller needs to be an owner.',
      rule: 'DEL-20',
      errors: { 403: NOT_OWNER },
    },
  },
} satisfies Group;

/** Deleted workspaces in the form of HCP Terraform (docs/reference/deletion.md). */
export const recoverableItems = {
  name: 'Recoverable items',
  description: 'Deleted workspaces that can be restored, in the form that clients of HCP Terraform expect.',
  operations: {
    'recoverable-items.list': {
      summary: "List an organization's recoverable items",
      description: 'Returns the deleted workspaces that the caller may restore, the last deleted one first.',
      rule: 'DEL-23',
      query: {
        'filter[expires_after]': time('Only those that expire after this time.'),
        'filter[recoverable_type]': oneOf(recoverableTypes, 'There are no stacks.'),
        sort: oneOf(
          sortValues(['expires_at']),
          'Sort order; a hyphen means descending. Default: the last deleted one first.',
        ),
      },
      response: page(recoverableItem),
    },
    'recoverable-items.recover': { summary: 'Restore a recoverable item', description: WHO, rule: 'DEL-23' },
    'recoverable-items.permanently-delete': {
      summary: 'Delete a recoverable item permanently',
      description: 'The caller needs to be an owner.',
      rule: 'DEL-23',
      errors: { 403: NOT_OWNER },
    },
  },
} satisfies Group;

const consumersBody = 'Types and ids of the workspaces. Other members are ignored.';
const notAssignable =
  'A listed workspace does not exist, the caller may not see it, or it is the workspace itself; or `global-remote-state` is true.';

/** Remote state consumers (docs/reference/remote-state-consumers.md). */
export const consumers = {
  name: 'Remote state consumers',
  description: 'The workspaces that may read the state of a workspace.',
  operations: {
    'remote-state-consumers.list': {
      summary: "List a workspace's remote state consumers",
      description:
        'Returns the consumers that the caller may read, ordered by name. With `global-remote-state`, these are all other workspaces of the organization.',
      rule: 'CONS-1',
      query: {
        show_only_configured: flag('Whether to return the configured consumers even with `global-remote-state`.'),
      },
      response: page(workspace),
      include,
    },
    'remote-state-consumers.add': {
      summary: 'Add remote state consumers',
      description: 'The caller needs admin access. Existing consumers stay.',
      rule: 'CONS-3',
      body: consumersBody,
      errors: { 422: notAssignable },
    },
    'remote-state-consumers.replace': {
      summary: 'Replace the remote state consumers',
      description:
        "The caller needs to be an owner, to have permission to manage all workspaces or projects, or to use the organization's token. The change is atomic.",
      rule: 'CONS-3',
      body: consumersBody,
      errors: { 422: notAssignable },
    },
    'remote-state-consumers.remove': {
      summary: 'Remove remote state consumers',
      description: 'The caller needs admin access. Workspaces that are not consumers are ignored.',
      rule: 'CONS-3',
      body: consumersBody,
      errors: {
        422: 'A listed workspace is not a consumer and could not be added as one; or `global-remote-state` is true.',
      },
    },
  },
} satisfies Group;

const ADMIN = 'The caller needs admin access.';
const OWNER = "The caller needs to be an owner, or to use the organization's token.";
const policyBody = 'The attribute may be sent in either spelling. A policy that never deletes has no attribute.';

/** Data retention policies (docs/reference/data-retention.md). */
export const retention = {
  name: 'Data retention policies',
  description: 'How long state versions are kept that are not current.',
  response: one(...retentionPolicies),
  operations: {
    'retention-policies.show': {
      summary: "Show a workspace's data retention policy",
      description:
        "Returns the workspace's own policy, or else the default of its organization; `target` names the holder.",
      rule: 'RET-1',
      errors: {
        404: 'The workspace does not exist, or the caller may not see it; or there is neither a policy nor a default.',
      },
    },
    'retention-policies.set': {
      summary: "Set a workspace's data retention policy",
      description: `${ADMIN} Status 201 if the workspace had no policy of its own, otherwise 200. The type may change; the id does not.`,
      rule: 'RET-2',
      body: policyBody,
    },
    'retention-policies.replace': {
      summary: "Set a workspace's data retention policy (older clients)",
      description: ADMIN,
      rule: 'RET-2',
      body: policyBody,
    },
    'retention-policies.delete': {
      summary: "Delete a workspace's own data retention policy",
      description: `${ADMIN} The default of the organization, if any, applies again.`,
      rule: 'RET-3',
      errors: { 404: 'The workspace does not exist, or the caller may not see it; or it has no policy of its own.' },
    },
    'default-retention-policies.show': {
      summary: "Show an organization's default data retention policy",
      rule: 'RET-1',
      errors: { 404: 'The organization does not exist, or the caller may not see it; or it has no default policy.' },
    },
    'default-retention-policies.set': {
      summary: "Set an organization's default data retention policy",
      description: `Applies to workspaces without a policy of their own. ${OWNER} Status 201 if there was no default policy, otherwise 200.`,
      rule: 'RET-2',
      body: policyBody,
    },
    'default-retention-policies.replace': {
      summary: "Set an organization's default data retention policy (older clients)",
      description: OWNER,
      rule: 'RET-2',
      body: policyBody,
    },
    'default-retention-policies.delete': {
      summary: "Delete an organization's default data retention policy",
      description: OWNER,
      rule: 'RET-3',
      errors: { 404: 'The organization does not exist, or the caller may not see it; or it has no default policy.' },
    },
  },
} satisfies Group;
