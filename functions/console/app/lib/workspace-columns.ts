import type { Workspace } from '../../../../shared/client/types.ts';
import { hasState } from '../../../../shared/client/workspaces.ts';
import type { FileColumns } from './list-rows.ts';
import { toLabel } from './words.ts';

/** Columns of a file with workspaces, as their list has them. */
export const workspaceColumns: FileColumns = {
  name: toLabel('name'),
  project: 'Project',
  'tag-names': 'Tags',
  'effective-tag-bindings': 'Tags with values',
  'locked-by': 'Lock holder',
  'locked-at': 'Locked since',
  'locked-reason': 'Reason of the lock',
  'current-run': 'Current run',
  'infra-version': toLabel('infra-version'),
  'execution-mode': toLabel('execution-mode'),
  'latest-change-at': {
    heading: toLabel('latest-change-at'),
    cell: (workspace) =>
      hasState(workspace as Workspace) ? (workspace as Workspace).attributes['latest-change-at'] : null,
  },
};
