import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import type { RetentionPolicy } from '../../shared/domain/state-versions/retention-policy.ts';
import { noRetentionPolicy } from '../../shared/domain/state-versions/retention-policy.ts';
import {
  removeRetentionPolicy,
  setRetentionPolicy,
} from '../../shared/domain/transitions/relationships/change-retention-policy.ts';
import { POLICY, whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { newId } from '../../shared/lib/random.ts';
import { retentionRule } from '../../shared/resources/data-retention-policies/request-mapping.ts';
import { retentionPolicyDocument } from '../../shared/resources/data-retention-policies/response.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

type Routes = 'retention-policies.set' | 'retention-policies.replace';

/** Sets the policy. @returns its document, and whether the request created it. */
const set = async (
  { store }: Dependencies,
  { contextFor, digest, parameters: { workspace_id: id }, body }: OperationRequest<Routes>,
): Promise<{ readonly document: Document; readonly isNew: boolean }> => {
  const rule = retentionRule(body.data);
  const { workspace, caller } = await authorizeWorkspace(store, digest, { id }, 'retention-policy.manage');
  const request = contextFor(caller);
  const fresh = newId('retentionPolicy', request);
  const changed = await store.workspaces.apply(
    workspace,
    whileMatching(request, setRetentionPolicy(request, rule, fresh), POLICY),
    request,
  );
  const policy = changed.retentionPolicy as RetentionPolicy;
  return { document: retentionPolicyDocument(policy, { type: 'workspaces', id }), isNew: policy.id === fresh };
};

export const policyOperations = {
  /** `GET …/relationships/data-retention-policy` (RET-1): the workspace's own, else the organization's default. */
  'retention-policies.show': async ({ digest, parameters: { workspace_id: id } }, { store }) => {
    const { workspace, organization } = await authorizeWorkspace(store, digest, { id }, 'workspace.read-settings');
    if (workspace.retentionPolicy) {
      return retentionPolicyDocument(workspace.retentionPolicy, { type: 'workspaces', id });
    }
    if (organization.retentionPolicy) {
      return retentionPolicyDocument(organization.retentionPolicy, { type: 'organizations', id: organization.name });
    }
    throw noRetentionPolicy();
  },

  /** `POST …/relationships/data-retention-policy` (RET-2) */
  'retention-policies.set': async (request, dependencies) => {
    const { document, isNew } = await set(dependencies, request);
    return isNew ? document : { existing: document };
  },

  /** `PATCH …/relationships/data-retention-policy`: like POST, for older clients (RET-2). */
  'retention-policies.replace': async (request, dependencies) => (await set(dependencies, request)).document,

  /** `DELETE …/relationships/data-retention-policy` (RET-3) */
  'retention-policies.delete': async (
    { id: requestId, contextFor, digest, parameters: { workspace_id: id } },
    { store },
  ) => {
    const { workspace, caller } = await authorizeWorkspace(store, digest, { id }, 'retention-policy.manage');
    // A repeated request, which has deleted the policy already, succeeds again.
    const isOwn = workspace.change.request === requestId;
    if (workspace.retentionPolicy === undefined && !isOwn) throw noRetentionPolicy();
    const request = contextFor(caller);
    await store.workspaces.apply(workspace, whileMatching(request, removeRetentionPolicy(), POLICY), request);
    return undefined;
  },
} satisfies Partial<Operations<'data-retention-policy', Dependencies>>;
