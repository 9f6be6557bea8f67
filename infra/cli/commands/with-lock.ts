import { lockWorkspace, unlockWorkspace } from '../../../shared/client/workspaces.ts';
import { RequestShown } from '../api.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';

/** Lease of the lock, so that an interrupted command does not lock the workspace for good. Uploads take as long at most. */
const LEASE_SECONDS = 3_600;

/** Routes that `withLock` requests. */
export const lockRoutes = ['workspaces.lock', 'workspaces.unlock'] as const;

/**
 * Runs a change that needs the lock of the workspace. A lock that is held already is kept: if it is not that of the caller, the
 * service rejects the change. Otherwise the workspace is locked for the change.
 */
export const withLock = async <T>(
  { api, note }: Invocation,
  { id, name, resource }: FoundWorkspace,
  reason: string,
  change: () => Promise<T>,
): Promise<T> => {
  if (resource.attributes.locked) return change();
  const unlock = () => api.send(unlockWorkspace(id));
  await api.send(lockWorkspace(id, reason, LEASE_SECONDS)).catch((error) => {
    // With --curl, the change is shown, too.
    if (!(error instanceof RequestShown)) throw error;
  });
  let result: T;
  try {
    result = await change();
  } catch (error) {
    await unlock().catch((reason) => {
      if (reason instanceof RequestShown) return;
      note(`${name} is still locked, for an hour at most. Run "holdfast unlock ${name}" to release it.`);
    });
    throw error;
  }
  await unlock();
  return result;
};
