import { showChangedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openContentCheck } from '../../shared/state-content/check-for-content.ts';
import { workspaceForceUnlock, workspaceLock, workspaceLockRenewal } from '../../shared/validators/compiled/bodies.js';
import { lockOperations } from './locks.ts';

export const handler = createHandler(
  'workspace-locks',
  { ...lockOperations, 'workspaces.show': showChangedWorkspace },
  {
    ...openDependencies('workspace-locks'),
    lookForContent: openContentCheck(readEnvironment('workspace-locks').STATE_CONTENT_FUNCTION),
    validators: { workspaceForceUnlock, workspaceLock, workspaceLockRenewal },
  },
);
