import { apiRequest } from './request.ts';

const PATH = '/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy';

/** Describes the request of the policy in force for a workspace. */
export const showRetentionPolicy = (workspace: string) =>
  apiRequest('get', PATH, { path: { workspace_id: workspace } });

/** Describes the change of the policy of a workspace. Without `days`, all versions are kept (RET-2). */
export const setRetentionPolicy = (workspace: string, days?: number) =>
  apiRequest('post', PATH, {
    path: { workspace_id: workspace },
    body: {
      data:
        days === undefined
          ? { type: 'data-retention-policy-dont-deletes' }
          : { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } },
    },
  });

/** Describes the removal of the policy of a workspace (RET-3). */
export const deleteRetentionPolicy = (workspace: string) =>
  apiRequest('delete', PATH, { path: { workspace_id: workspace } });
