import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { changedWorkspace } from '../../shared/documents/changed-workspace.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { retryAfterContentCheck } from '../../shared/state-content/retry-after-content-check.ts';
import type { LockDependencies } from './dependencies.ts';

interface LockRequest extends Pick<OperationRequest<'workspaces.unlock'>, 'contextFor' | 'digest'> {
  readonly parameters: { readonly workspace_id: string };
}

/** Authorizes a lock operation, applies its transition and returns the document of the changed workspace. */
export const changeLock = async (
  dependencies: LockDependencies,
  { contextFor, digest, parameters }: LockRequest,
  action: WorkspaceAction,
  transition: (request: RequestContext, checkedId: string | undefined) => Transition,
): Promise<Document> => {
  const { store, lookForContent } = dependencies;
  const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, action);
  const request = contextFor(access.caller);
  const changed = await retryAfterContentCheck(
    access.workspace,
    store.workspaces.find,
    lookForContent,
    (image, checkedId) => store.workspaces.apply(image, transition(request, checkedId), request),
  );
  return changedWorkspace(dependencies, access, changed);
};
