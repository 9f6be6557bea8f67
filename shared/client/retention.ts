import { apiRequest } from './request.ts';

const PATH = '/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy';
const DEFAULT_PATH = '/api/v2/organizations/{organization_name}/relationships/data-retention-policy';

/** Builds the body of a policy. Without `days`, all versions are kept (RET-2). */
const toBody = (days: number | undefined) => ({
  data:
    days === undefined
      ? ({ type: 'data-retention-policy-dont-deletes' } as const)
      : ({ type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } } as const),
});

/** Describes the request of the policy in force for a workspace. */
export const showRetentionPolicy = (workspace: string) =>
  apiRequest('get', PATH, { path: { workspace_id: workspace } });

/** Describes the change of the policy of a workspace. Without `days`, all versions are kept. */
export const setRetentionPolicy = (workspace: string, days?: number) =>
  apiRequest('post', PATH, { path: { workspace_id: workspace }, body: toBody(days) });

/** Describes the removal of the policy of a workspace (RET-3). */
export const deleteRetentionPolicy = (workspace: string) =>
  apiRequest('delete', PATH, { path: { workspace_id: workspace } });

/** Describes the request of the default policy of an organization. */
export const showDefaultRetentionPolicy = (organization: string) =>
  apiRequest('get', DEFAULT_PATH, { path: { organization_name: organization } });

/** Describes the change of the default policy of an organization. Without `days`, all versions are kept. */
export const setDefaultRetentionPolicy = (organization: string, days?: number) =>
  apiRequest('post', DEFAULT_PATH, { path: { organization_name: organization }, body: toBody(days) });

/** Describes the removal of the default policy of an organization. */
export const deleteDefaultRetentionPolicy = (organization: string) =>
  apiRequest('delete', DEFAULT_PATH, { path: { organization_name: organization } });
