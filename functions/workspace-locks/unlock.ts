import { unlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { changeLock } from './change-lock.ts';
import type { LockDependencies } from './dependencies.ts';

/** `POST /workspaces/:workspace_id/actions/unlock` (LOCK-6): only the holder of the lock may unlock. */
export const unlockWorkspace =
  (dependencies: LockDependencies): Operation<'workspaces.unlock'> =>
  (request) =>
    changeLock(dependencies, request, 'workspace.unlock', (by, checkedId) => unlock(by, now(), checkedId));
