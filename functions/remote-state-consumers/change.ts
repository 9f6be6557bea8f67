import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { consumable } from './consumable.ts';

type Routes = `remote-state-consumers.${'add' | 'replace' | 'remove'}`;

interface Change {
  readonly action: WorkspaceAction;
  readonly make: keyof Pick<Dependencies['store'], 'addConsumers' | 'replaceConsumers' | 'removeConsumers'>;
  /** What is taken though it could not be a consumer. */
  readonly acceptedOf?: (workspace: Workspace) => Promise<readonly string[]>;
}

const changing =
  ({ store }: Dependencies, { action, make, acceptedOf }: Change) =>
  async ({ id, digest, parameters, body }: OperationRequest<Routes>): Promise<undefined> => {
    const listed = body.data.map((consumer) => consumer.id);
    const requireConsumable = consumable(store, listed);
    const target = { id: parameters.workspace_id };
    const { workspace, caller } = await authorizeWorkspace(store, digest, target, async (access, consistent) => {
      requirePermission(access, action);
      // While all workspaces are consumers the change is refused anyway, whatever is listed.
      if (access.workspace.settings.globalRemoteState) return;
      await requireConsumable(access, consistent, acceptedOf && (() => acceptedOf(access.workspace)));
    });
    await store[make](workspace, [...new Set(listed)], { id, principal: caller.principal });
  };

/** `POST /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-3) */
export const addConsumers = (dependencies: Dependencies) =>
  changing(dependencies, { action: 'consumers.manage', make: 'addConsumers' });

/** `PATCH …`: for who manages workspaces organization-wide (CONS-7). */
export const replaceConsumers = (dependencies: Dependencies) =>
  changing(dependencies, { action: 'consumers.replace', make: 'replaceConsumers' });

/** `DELETE …`: also of those that the caller cannot read, or that are gone. */
export const removeConsumers = (dependencies: Dependencies) =>
  changing(dependencies, {
    action: 'consumers.manage',
    make: 'removeConsumers',
    acceptedOf: dependencies.store.findConsumers,
  });
