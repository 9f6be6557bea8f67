import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { changedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { previewChange } from '../../shared/documents/preview-change.ts';
import { computedId } from '../../shared/domain/ids.ts';
import { lock } from '../../shared/domain/transitions/locks/lock.ts';
import { renewLock } from '../../shared/domain/transitions/locks/renew-lock.ts';
import { forceUnlock, unlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import { LOCK, whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { now } from '../../shared/lib/clock.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { type CheckForContent, retryAfterContentCheck } from '../../shared/state-content/check-for-content.ts';

/** Dependencies of the operations on locks. */
export interface LockDependencies extends Dependencies {
  readonly lookForContent: CheckForContent;
}

interface LockRequest extends Pick<OperationRequest<'workspaces.unlock'>, 'id' | 'contextFor' | 'digest' | 'isDryRun'> {
  readonly parameters: { readonly workspace_id: string };
}

/**
 * Authorizes a lock operation, applies its transition and returns the document of the changed workspace. A dry run does not look
 * for the content of a pending state version, because that would finalize it (EDIT-7).
 */
const changeLock = async (
  dependencies: LockDependencies,
  { id, contextFor, digest, parameters, isDryRun }: LockRequest,
  action: WorkspaceAction,
  transition: (request: RequestContext, checkedId: string | undefined) => Transition,
): Promise<Document> => {
  const { store, lookForContent } = dependencies;
  const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, action);
  const request = contextFor(access.caller);
  const restricted = (checkedId?: string): Transition => whileMatching(request, transition(request, checkedId), LOCK);
  if (isDryRun) return previewChange(dependencies, id, { access }, restricted(), LOCK);
  const changed = await retryAfterContentCheck(
    access.workspace,
    store.workspaces.find,
    lookForContent,
    (image, checkedId) => store.workspaces.apply(image, restricted(checkedId), request),
  );
  return changedWorkspace(dependencies, access, changed);
};

export const lockOperations = {
  /**
   * `POST /workspaces/:workspace_id/actions/lock` (LOCK-1, LOCK-3, LOCK-18): 409 if it is locked already, also by the caller.
   */
  'workspaces.lock': (request, dependencies) => {
    const { body } = request;
    const reason = body?.reason ?? body?.data?.attributes?.reason ?? '';
    // The id is derived from the request, so that a repeated command recognizes the lock that it acquired.
    const id = computedId('lock', request.id, request.parameters.workspace_id);
    const leaseSeconds = body?.['lease-seconds'] ?? body?.data?.attributes?.['lease-seconds'] ?? undefined;
    return changeLock(dependencies, request, 'workspace.lock', (by) =>
      lock(by, { id, reason, at: now(), ...(leaseSeconds !== undefined && { leaseSeconds }) }),
    );
  },

  /** `POST /workspaces/:workspace_id/actions/unlock` (LOCK-6): only the holder of the lock may unlock. */
  'workspaces.unlock': (request, dependencies) =>
    changeLock(dependencies, request, 'workspace.unlock', (by, checkedId) => unlock(by, now(), checkedId)),

  /** `POST /workspaces/:workspace_id/actions/renew-lock` (LOCK-19): the holder of a lock extends its lease. */
  'workspaces.renew-lock': (request, dependencies) => {
    const { body } = request;
    const leaseSeconds = body?.['lease-seconds'] ?? body?.data?.attributes?.['lease-seconds'] ?? undefined;
    return changeLock(dependencies, request, 'workspace.lock', (by) => renewLock(by, now(), leaseSeconds));
  },

  /** `POST /workspaces/:workspace_id/actions/force-unlock` (LOCK-10, LOCK-17): releases the lock of any holder. */
  'workspaces.force-unlock': (request, dependencies) => {
    const { body } = request;
    const reason = body?.reason ?? body?.data?.attributes?.reason ?? '';
    return changeLock(dependencies, request, 'workspace.force-unlock', (by) => forceUnlock(by, reason));
  },
} satisfies Partial<Operations<'workspace-locks', LockDependencies>>;
