import { count, nullable, text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a recoverable item: a deleted workspace as clients of HCP Terraform know it (DEL-23). */
export const attributes = {
  'recoverable-name': { response: text('Name of the workspace before the deletion.', { examples: ['network'] }) },
  'deleted-at': { response: time() },
  'expires-at': { response: time('The workspace is deleted permanently at this time.') },
  'permanently-deleted-at': { response: nullable(time('Always null: such a workspace is not listed.')) },
  'unmanaged-resources': { response: count('Number of resources that the workspace managed.') },
} as const satisfies AttributeTable;

/** Values of `filter[recoverable_type]`. There are no stacks. */
export const recoverableTypes = ['workspaces', 'stacks'] as const;
