import { apiQuery } from './query-client.ts';
import { apiRequest } from './request.ts';

/** Builds the query of the newest runs of a workspace. */
export const newestRunsQuery = (workspace: string, count: number) =>
  apiQuery(
    apiRequest('get', '/api/v2/workspaces/{workspace_id}/runs', {
      path: { workspace_id: workspace },
      query: { 'page[size]': count },
    }),
  );
