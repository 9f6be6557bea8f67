import { renewLock } from '../../shared/domain/transitions/locks/renew-lock.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { changeLock } from './change-lock.ts';
import type { LockDependencies } from './dependencies.ts';

/** `POST /workspaces/:workspace_id/actions/renew-lock` (LOCK-19): the holder of a lock extends its lease. */
export const renewWorkspaceLock =
  (dependencies: LockDependencies): Operation<'workspaces.renew-lock'> =>
  (request) => {
    const { body } = request;
    const leaseSeconds = body?.['lease-seconds'] ?? body?.data?.attributes?.['lease-seconds'] ?? undefined;
    return changeLock(dependencies, request, 'workspace.lock', (by) => renewLock(by, now(), leaseSeconds));
  };
