import { computedId } from '../../shared/domain/ids.ts';
import { lock } from '../../shared/domain/transitions/locks/lock.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { changeLock } from './change-lock.ts';
import type { LockDependencies } from './dependencies.ts';

/**
 * `POST /workspaces/:workspace_id/actions/lock` (LOCK-1, LOCK-3, LOCK-18): 409 if it is locked already, also by the caller.
 */
export const lockWorkspace =
  (dependencies: LockDependencies): Operation<'workspaces.lock'> =>
  (request) => {
    const { body } = request;
    const reason = body?.reason ?? body?.data?.attributes?.reason ?? '';
    // The id is derived from the request, so that a repeated command recognizes the lock that it acquired.
    const id = computedId('lock', request.id, request.parameters.workspace_id);
    const leaseSeconds = body?.['lease-seconds'] ?? body?.data?.attributes?.['lease-seconds'] ?? undefined;
    return changeLock(dependencies, request, 'workspace.lock', (by) =>
      lock(by, { id, reason, at: now(), ...(leaseSeconds !== undefined && { leaseSeconds }) }),
    );
  };
