import { apiRequest } from '../../../shared/client/request.ts';
import type { Workspace } from '../../../shared/client/types.ts';
import { lockWorkspace, unlockWorkspace } from '../../../shared/client/workspaces.ts';
import { now } from '../../../shared/lib/clock.ts';
import { Failure } from '../failure.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';

/** A lock with a lease that is renewed. */
export interface HeldLease {
  /** The workspace as it was when it was locked. */
  readonly workspace: Workspace;
  /** Ends the renewals, and releases the lock unless it is lost. @returns whether it was held to the end. */
  readonly release: () => Promise<boolean>;
}

/** Returns whether the service has decided against a request, so that a repetition cannot succeed. */
const isRefused = (error: unknown): boolean => error instanceof Failure && error.exit !== 'failed';

/**
 * Locks a workspace with a lease, and renews it at a third of its length until it is released.
 * @param seconds length of the lease.
 * @param onLost called once with the reason if a renewal is refused, or the last one before the end of the lease fails.
 * @throws Failure `conflict` if the workspace is locked.
 */
export const takeLease = async (
  { api, io, note }: Invocation,
  workspace: FoundWorkspace,
  { seconds, reason }: { readonly seconds: number; readonly reason: string },
  onLost: (reason: string) => void,
): Promise<HeldLease> => {
  const released = new AbortController();
  const length = seconds * 1_000;
  let end = now() + length;
  let isLost = false;
  const locked = await api.send(lockWorkspace(workspace.id, reason, seconds));

  const renew = async (): Promise<void> => {
    const sentAt = now();
    try {
      await api.send(
        apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/renew-lock', {
          path: { workspace_id: workspace.id },
          body: {},
        }),
      );
      end = sentAt + length;
    } catch (error) {
      if (released.signal.aborted) return;
      isLost = isRefused(error) || now() + length / 3 >= end;
      const { message } = error as Error;
      if (isLost) onLost(`The lock of ${workspace.name} is lost. ${message}`);
      else note(`The lock of ${workspace.name} could not be renewed. ${message}`);
    }
  };

  const renewals = (async () => {
    while (!isLost && !released.signal.aborted) {
      // Only the release ends the wait.
      await io.wait(length / 3, released.signal).catch(() => undefined);
      if (!released.signal.aborted) await renew();
    }
  })();

  return {
    workspace: locked.document.data,
    release: async () => {
      released.abort();
      await renewals;
      if (isLost) return false;
      try {
        await api.send(unlockWorkspace(workspace.id));
        return true;
      } catch (error) {
        note(`The lock of ${workspace.name} could not be released. ${(error as Error).message}`);
        return !isRefused(error);
      }
    },
  };
};
