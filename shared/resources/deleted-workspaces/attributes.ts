import { deletedWorkspacePermissionNames } from '../../access/deleted-workspace-policy.ts';
import { count, flags, list, text, time } from '../../schemas/schema.ts';
import { actorSchema } from '../actor.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a deleted workspace (DEL-17). */
export const attributes = {
  name: { response: text('Name before the deletion. Another workspace may have it now.', { examples: ['network'] }) },
  'created-at': { response: time() },
  'deleted-at': { response: time() },
  'deleted-by': { response: actorSchema('Who deleted the workspace.') },
  'restorable-until': { response: time('The workspace is deleted permanently at this time.') },
  'latest-change-at': { response: time('When the newest state version was created, or the workspace itself.') },
  'resource-count': { response: count('Number of resources that the workspace managed.') },
  'tag-names': { response: list(text(), 'The flat tags, in the order in which they were added.') },
  permissions: { response: flags(deletedWorkspacePermissionNames, 'What the caller may do with the workspace.') },
} as const satisfies AttributeTable;
