import { showChangedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { forceDelete, safeDelete } from '../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openContentCheck } from '../../shared/state-content/check-for-content.ts';
import { restoration } from '../../shared/validators/compiled/bodies.js';
import { deleteWorkspace } from './delete-workspace.ts';
import { deletedWorkspaceOperations } from './deleted-workspaces.ts';

const { STATE_CONTENT_FUNCTION, DELETED_WORKSPACE_DAYS } = readEnvironment('workspace-deletion');
const DAY = 86_400_000;
const safely = deleteWorkspace('workspace.safe-delete', safeDelete);
const forcibly = deleteWorkspace('workspace.force-delete', forceDelete);

export const handler = createHandler(
  'workspace-deletion',
  {
    'workspaces.safe-delete': safely,
    'workspaces.safe-delete-by-name': safely,
    'workspaces.force-delete': forcibly,
    'workspaces.force-delete-by-name': forcibly,
    'workspaces.show': showChangedWorkspace,
    ...deletedWorkspaceOperations,
  },
  {
    ...openDependencies('workspace-deletion'),
    lookForContent: openContentCheck(STATE_CONTENT_FUNCTION),
    keptFor: DELETED_WORKSPACE_DAYS * DAY,
    validators: { restoration },
  },
);
