import { forceUnlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { changeLock } from './change-lock.ts';
import type { LockDependencies } from './dependencies.ts';

/** `POST /workspaces/:workspace_id/actions/force-unlock` (LOCK-10, LOCK-17): releases the lock of any holder. */
export const forceUnlockWorkspace =
  (dependencies: LockDependencies): Operation<'workspaces.force-unlock'> =>
  (request) => {
    const { body } = request;
    const reason = body?.reason ?? body?.data?.attributes?.reason ?? '';
    return changeLock(dependencies, request, 'workspace.force-unlock', (by) => forceUnlock(by, reason));
  };
