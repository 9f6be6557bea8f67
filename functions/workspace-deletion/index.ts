import { showChangedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { forceDelete, safeDelete } from '../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openContentCheck } from '../../shared/state-content/check-for-content.ts';
import { restoration } from '../../shared/validators/compiled/bodies.js';
import { deleteWorkspace } from './delete-workspace.ts';
import { purgeWorkspace, restoreWorkspace, showDeletedWorkspace } from './deleted-workspaces.ts';

const { STATE_CONTENT_FUNCTION, DELETED_WORKSPACE_DAYS } = readEnvironment('workspace-deletion');
const DAY = 86_400_000;
const dependencies = {
  ...openDependencies('workspace-deletion'),
  lookForContent: openContentCheck(STATE_CONTENT_FUNCTION),
  keptFor: DELETED_WORKSPACE_DAYS * DAY,
};
const safely = deleteWorkspace(dependencies, 'workspace.safe-delete', safeDelete);
const forcibly = deleteWorkspace(dependencies, 'workspace.force-delete', forceDelete);

export const handler = createHandler(
  'workspace-deletion',
  {
    'workspaces.safe-delete': safely,
    'workspaces.safe-delete-by-name': safely,
    'workspaces.force-delete': forcibly,
    'workspaces.force-delete-by-name': forcibly,
    'deleted-workspaces.show': showDeletedWorkspace(dependencies),
    'deleted-workspaces.restore': restoreWorkspace(dependencies),
    'deleted-workspaces.purge': purgeWorkspace(dependencies),
  },
  {
    ...dependencies,
    validators: { restoration },
    shows: { 'workspaces.show': showChangedWorkspace(dependencies) },
  },
);
