import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { type RequestContext, type Transition, whileNamed } from '../../shared/domain/transitions/transition.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { nameIn, workspaceTarget } from '../../shared/http/workspace-target.ts';
import { now } from '../../shared/lib/clock.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { CheckForContent } from '../../shared/state-content/check-for-content.ts';
import { retryAfterContentCheck } from '../../shared/state-content/retry-after-content-check.ts';

type DeleteRoute =
  | 'workspaces.safe-delete'
  | 'workspaces.safe-delete-by-name'
  | 'workspaces.force-delete'
  | 'workspaces.force-delete-by-name';

/**
 * `POST …/actions/safe-delete` and `DELETE`, by id and by name (DEL-1, DEL-6). They differ in the permission
 * (force delete requires an owner, or workspace admin access if the organization allows it) and in the condition of the
 * write.
 */
export const deleteWorkspace =
  (
    { store, lookForContent }: Dependencies & { readonly lookForContent: CheckForContent },
    action: 'workspace.safe-delete' | 'workspace.force-delete',
    transition: (request: RequestContext, at: number, checkedId: string | undefined) => Transition,
  ) =>
  async ({
    id,
    digest,
    parameters,
  }: Pick<OperationRequest<DeleteRoute>, 'id' | 'digest' | 'parameters'>): Promise<undefined> => {
    const target = workspaceTarget(parameters);
    const { workspace, caller } = await authorizeWorkspace(store, digest, target, action);
    const request: RequestContext = { id, principal: caller.principal };
    const name = nameIn(target);
    await retryAfterContentCheck(workspace, store.find, lookForContent, (image, checkedId) =>
      store.apply(image, whileNamed(name, transition(request, now(), checkedId)), request),
    );
  };
