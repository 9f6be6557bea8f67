/** Writes of the operations of the benchmark, planned by the functions that plan them for a request. */
import { applyChange } from '../../shared/domain/changes/conditions.ts';
import { prefixes } from '../../shared/domain/ids.ts';
import { lock } from '../../shared/domain/transitions/locks/lock.ts';
import { unlock } from '../../shared/domain/transitions/locks/unlock.ts';
import { variableCreated } from '../../shared/domain/transitions/relationships/change-variables.ts';
import { type RequestContext, recordChange, type Transition } from '../../shared/domain/transitions/transition.ts';
import { update } from '../../shared/domain/transitions/workspaces/update-workspace.ts';
import type { Variable } from '../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import { base58, newEventId, versionId } from '../../shared/lib/random.ts';
import type { Write } from '../../shared/store/dynamodb/requests.ts';
import { variableCreation } from '../../shared/store/items/variable-items.ts';
import { creationWrites, stepWrites } from '../../shared/store/items/workspace-writes.ts';
import { configurationContext, newWorkspace } from '../support/api/new-workspace.ts';

/** Workspace that only bare calls change: as it is after all changes that were planned. They must be made in this order. */
export interface Spare {
  workspace: Workspace;
}

/** Organization of the spare workspaces. Nobody lists it. */
const organization = { organization: 'spare', project: `${prefixes.project}1111111111111111` };

/** Number of shards of a new organization. */
export const SHARDS = 4;

const newRequest = (): RequestContext => ({
  id: base58(16),
  principal: { kind: 'user', id: prefixes.user + base58(16), name: 'grace' },
  token: prefixes.token + base58(16),
  address: '127.0.0.1',
});
const user = newRequest();
/** Creates the context of a request of the user who holds the locks. */
const nextRequest = (): RequestContext => ({ ...user, id: base58(16) });

const plan = (
  spare: Spare,
  request: RequestContext,
  transition: Transition,
  additional: readonly Write[] = [],
): Write[] => {
  const [image, now] = [spare.workspace, Date.now()];
  const step = transition.plan(image);
  const record = recordChange(newEventId(), transition.type, request, now, step);
  const { writes, change } = stepWrites(image, step, record, now);
  spare.workspace = applyChange(change, { ...image }) as unknown as Workspace;
  return [...writes, ...additional];
};

/** Plans to create a spare workspace with the attributes of another workspace. */
export const planCopy = (workspace: Workspace): { readonly spare: Spare; readonly writes: Write[] } => {
  const id = prefixes.workspace + base58(16);
  const copy = { ...workspace, ...organization, id, name: id };
  return { spare: { workspace: copy }, writes: creationWrites(copy, SHARDS) };
};

/** Plans to lock a spare workspace, or to unlock it if it is locked. */
export const planLockOrUnlock = (spare: Spare): Write[] => {
  const [request, at] = [nextRequest(), Date.now()];
  const isLocked = spare.workspace.lock !== undefined;
  const id = prefixes.lock + base58(16);
  return plan(spare, request, isLocked ? unlock(request, at) : lock(request, { id, reason: '', at }));
};

/** Plans to change the working directory of a spare workspace. */
export const planUpdate = (spare: Spare): Write[] => {
  const request = nextRequest();
  const { id, project } = spare.workspace;
  const configuration = { settings: { workingDirectory: `folder-${base58(3)}` } };
  const context = { ...configurationContext, identity: { id, project }, now: Date.now() };
  return plan(spare, request, update(request, { configuration, from: project, to: project }, context));
};

/** Plans to create a workspace in the organization of the spare ones. */
export const planCreation = (name: string): Write[] => {
  const now = Date.now();
  const change = recordChange(newEventId(), 'workspace.created', nextRequest(), now);
  return creationWrites({ ...newWorkspace(organization, { name }), change, listedAt: now }, SHARDS);
};

/** Plans to create a variable of a spare workspace. */
export const planVariable = (spare: Spare, key: string): Write[] => {
  const request = nextRequest();
  const variable: Variable = {
    ...{ id: prefixes.variable + base58(16), workspace: spare.workspace.id, createdAt: Date.now() },
    ...{ version: versionId(), description: 'd', hcl: false, key, category: 'infra' },
    content: { value: 'v'.repeat(100) },
  };
  return plan(spare, request, variableCreated(request, variable), variableCreation(variable, spare.workspace));
};
