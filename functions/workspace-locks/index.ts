import { showChangedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openContentCheck } from '../../shared/state-content/check-for-content.ts';
import { workspaceForceUnlock, workspaceLock, workspaceLockRenewal } from '../../shared/validators/compiled/bodies.js';
import { forceUnlockWorkspace, lockWorkspace, renewWorkspaceLock, unlockWorkspace } from './locks.ts';

const { STATE_CONTENT_FUNCTION } = readEnvironment('workspace-locks');
const dependencies = {
  ...openDependencies('workspace-locks'),
  lookForContent: openContentCheck(STATE_CONTENT_FUNCTION),
};

export const handler = createHandler(
  'workspace-locks',
  {
    'workspaces.lock': lockWorkspace(dependencies),
    'workspaces.unlock': unlockWorkspace(dependencies),
    'workspaces.renew-lock': renewWorkspaceLock(dependencies),
    'workspaces.force-unlock': forceUnlockWorkspace(dependencies),
  },
  {
    ...dependencies,
    validators: { workspaceForceUnlock, workspaceLock, workspaceLockRenewal },
    shows: { 'workspaces.show': showChangedWorkspace(dependencies) },
  },
);
