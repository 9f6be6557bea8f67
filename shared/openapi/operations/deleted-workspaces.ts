import { droppedTypes } from '../../domain/transitions/workspaces/restore-workspace.ts';
import { sortValues } from '../../jsonapi/sort.ts';
import { recoverableTypes } from '../../resources/recoverable-items/attributes.ts';
import { count, list, object, oneOf, optional, text, time } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';
import { deletedWorkspace, recoverableItem, workspace } from '../resources.ts';

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
      response: { ...one(workspace), meta: { dropped: optional(dropped) } },
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
        'filter[expires_after]': { description: 'Only those that expire after this time.', schema: time() },
        'filter[recoverable_type]': { description: 'There are no stacks.', schema: oneOf(recoverableTypes) },
        sort: {
          description: 'Sort order; a hyphen means descending. Default: the last deleted one first.',
          schema: oneOf(sortValues(['expires_at'])),
        },
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
