import { apiRequest } from './request.ts';
import type { Entered, Schemas } from './types.ts';

export type WorkloadIdentity = Schemas['WorkloadIdentity'];

/** Condition on a claim of an identity token (WI-4). */
export type ClaimCondition = WorkloadIdentity['attributes']['conditions'][number];

/** A workload identity as the user edits it. */
export type WorkloadIdentityInput = Entered<Schemas['WorkloadIdentityBody']>;

/** Ids of the projects and workspaces to which the tokens of a workload identity are limited (WI-11). */
export interface WorkloadScope {
  readonly projects: readonly string[];
  readonly workspaces: readonly string[];
}

const LIST = '/api/v2/organizations/{organization_name}/workload-identities';
const ONE = '/api/v2/workload-identities/{workload_identity_id}';

/** Builds relationships to projects and workspaces from their ids. */
export const toScope = ({ projects, workspaces }: Partial<WorkloadScope>) => ({
  ...(projects && { projects: { data: projects.map((id) => ({ type: 'projects' as const, id })) } }),
  ...(workspaces && { workspaces: { data: workspaces.map((id) => ({ type: 'workspaces' as const, id })) } }),
});

/** Describes the request of one page of the workload identities of an organization. */
export const listWorkloadIdentities = (organization: string, number: number) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: { 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the request of a workload identity. */
export const showWorkloadIdentity = (id: string) => apiRequest('get', ONE, { path: { workload_identity_id: id } });

/** Describes the creation of a workload identity. Without a scope, its tokens reach everything that the team has access to. */
export const createWorkloadIdentity = (
  organization: string,
  attributes: Pick<WorkloadIdentityInput, 'name' | 'issuer' | 'conditions'> & Partial<WorkloadIdentityInput>,
  team: string,
  scope: Partial<WorkloadScope> | undefined,
) =>
  apiRequest('post', LIST, {
    path: { organization_name: organization },
    body: {
      data: {
        type: 'workload-identities',
        attributes: { ...attributes, conditions: [...attributes.conditions] },
        relationships: { team: { data: { id: team } }, ...(scope && toScope(scope)) },
      },
    },
  });

/**
 * Describes the update of a workload identity. With `ifMatch`, it changes only that revision.
 * @param scope an absent list stays as it is.
 */
export const updateWorkloadIdentity = (
  id: string,
  attributes: Partial<WorkloadIdentityInput>,
  scope: Partial<WorkloadScope> | undefined,
  ifMatch: string | undefined,
) =>
  apiRequest(
    'patch',
    ONE,
    {
      path: { workload_identity_id: id },
      body: {
        data: { type: 'workload-identities', attributes, ...(scope && { relationships: toScope(scope) }) },
      },
    },
    { ifMatch },
  );

/** Describes the deletion of a workload identity, which ends its tokens (WI-12). */
export const deleteWorkloadIdentity = (id: string, ifMatch?: string) =>
  apiRequest('delete', ONE, { path: { workload_identity_id: id } }, { ifMatch });

/** Describes the test of an identity token, which creates nothing (WI-13). */
export const testIdentityToken = (id: string, token: string) =>
  apiRequest(
    'post',
    '/api/v2/workload-identities/{workload_identity_id}/actions/test',
    {
      path: { workload_identity_id: id },
      body: { data: { type: 'workload-identity-tests', attributes: { 'subject-token': token } } },
    },
    { secrets: ['subject-token'] },
  );
