import { forceDelete, safeDelete } from '../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openContentCheck } from '../../shared/state-content/check-for-content.ts';
import { deleteWorkspace } from './delete-workspace.ts';

const { STATE_CONTENT_FUNCTION } = readEnvironment('workspace-deletion');
const dependencies = {
  ...openDependencies('workspace-deletion'),
  lookForContent: openContentCheck(STATE_CONTENT_FUNCTION),
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
  },
  dependencies,
);
