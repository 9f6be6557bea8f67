import { forceUnlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { changeLock } from './change-lock.ts';
import type { LockDependencies } from './dependencies.ts';

/** `POST /workspaces/:workspace_id/actions/force-unlock` (LOCK-10): releases the lock of any holder. */
export const forceUnlockWorkspace =
  (dependencies: LockDependencies): Operation<'workspaces.force-unlock'> =>
  (request) =>
    changeLock(dependencies, request, 'workspace.force-unlock', forceUnlock);
