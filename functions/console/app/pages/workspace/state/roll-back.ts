import { ApiError } from '../../../../../../shared/client/errors.ts';
import { rollBackState } from '../../../../../../shared/client/state-versions.ts';
import type { Workspace } from '../../../../../../shared/client/types.ts';
import { lockWorkspace, showWorkspaceById, unlockWorkspace } from '../../../../../../shared/client/workspaces.ts';
import { sendPatiently } from '../../../api/send.ts';

/** Time after which a lock ends whose release has failed, in seconds. */
const LEASE_SECONDS = 600;

/** Describes the requests of a rollback. The workspace is locked meanwhile; a lock that the user holds already stays. */
export const rollbackSteps = ({ id, attributes }: Workspace, version: string) => ({
  begin: attributes.locked ? showWorkspaceById(id) : lockWorkspace(id, 'Rolling back the state', LEASE_SECONDS),
  change: rollBackState(id, version),
  end: attributes.locked ? undefined : unlockWorkspace(id),
});

/**
 * Rolls a workspace back to an older version of its state.
 * @param current id of the current version, as the user has seen it.
 * @returns whether the workspace is as locked as before: false if the release of the lock has failed.
 * @throws ApiError or NoResponse if nothing was changed, or if that is not known; 409 if the state is not the one seen.
 */
export const rollBack = async (workspace: Workspace, current: string, version: string): Promise<boolean> => {
  const { begin, change, end } = rollbackSteps(workspace, version);
  const { document } = await sendPatiently(begin);
  let isReleased = true;
  try {
    if (document.data.relationships['current-state-version'].data?.id !== current) {
      const detail = 'The state has changed meanwhile. Look at the changes again.';
      throw new ApiError(409, [{ status: '409', title: 'conflict', detail }]);
    }
    await sendPatiently(change);
  } finally {
    if (end !== undefined) {
      await sendPatiently(end).catch(() => {
        isReleased = false;
      });
    }
  }
  return isReleased;
};
