import type { RestorableWorkspace } from '../../domain/workspace/workspace-record.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of a recoverable item. It has the id of the workspace. */
export const recoverableItemResource = ({
  id,
  name,
  project,
  deletedAt,
  purgeAt,
  current,
}: RestorableWorkspace): Resource => {
  const values: ComputedValues<typeof attributes> = {
    'recoverable-name': name,
    'deleted-at': timestamp(deletedAt),
    'expires-at': timestamp(purgeAt),
    'permanently-deleted-at': null,
    'unmanaged-resources': Math.max(0, current?.resources ?? 0),
  };
  return {
    id,
    type: 'recoverable-items',
    attributes: values,
    relationships: {
      project: toOne('projects', project),
      recoverable: toOne('workspaces', id),
    },
  };
};
