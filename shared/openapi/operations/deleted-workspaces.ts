import { droppedTypes } from '../../domain/transitions/workspaces/restore-workspace.ts';
import { count, list, object, oneOf, optional, text } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';
import { deletedWorkspace, workspace } from '../resources.ts';

const WHO =
  'The caller needs permission to delete the workspace and to create workspaces in its project, or in the default project if its project was deleted.';

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
      errors: { 403: 'The caller may restore the workspace, but is not an owner.' },
    },
  },
} satisfies Group;
