import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { stateReaders, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { consumable } from './consumable.ts';

type ChangeRoute = `remote-state-consumers.${'add' | 'replace' | 'remove'}`;

interface Change {
  readonly action: WorkspaceAction;
  readonly write: keyof Pick<ListDependencies['store']['consumers'], 'add' | 'replace' | 'remove'>;
  /** Returns ids that are accepted even if the workspace could not become a consumer. */
  readonly acceptedOf?: (workspace: Workspace) => Promise<readonly string[]>;
}

const changeConsumers =
  ({ store }: ListDependencies, { action, write, acceptedOf }: Change) =>
  async ({ contextFor, digest, parameters, body }: OperationRequest<ChangeRoute>): Promise<undefined> => {
    const listed = body.data.map((consumer) => consumer.id);
    const requireConsumable = consumable(store, listed);
    const target = { id: parameters.workspace_id };
    const { workspace, caller } = await authorizeWorkspace(store, digest, target, async (access, consistent) => {
      requirePermission(access, action);
      // If other workspaces than those of the set are consumers, the store rejects the change whatever the list contains.
      if (stateReaders(access.workspace.settings) !== 'consumers') return;
      await requireConsumable(access, consistent, acceptedOf && (() => acceptedOf(access.workspace)));
    });
    await store.consumers[write](workspace, [...new Set(listed)], contextFor(caller));
  };

/** `POST /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-3). */
export const addConsumers = (dependencies: ListDependencies) =>
  changeConsumers(dependencies, { action: 'consumers.manage', write: 'add' });

/** `PATCH …`: replaces the consumers; requires managing the workspaces of the whole organization (CONS-7). */
export const replaceConsumers = (dependencies: ListDependencies) =>
  changeConsumers(dependencies, { action: 'consumers.replace', write: 'replace' });

/** `DELETE …`: also removes consumers that are deleted, or that the caller cannot read. */
export const removeConsumers = (dependencies: ListDependencies) =>
  changeConsumers(dependencies, {
    action: 'consumers.manage',
    write: 'remove',
    acceptedOf: dependencies.store.consumers.find,
  });
