import { apiQuery } from './query-client.ts';
import { apiRequest } from './request.ts';
import type { DocumentOf } from './types.ts';

const LIST = '/api/v2/workspaces/{workspace_id}/runs';

/** Builds the query of the newest runs of a workspace. */
export const newestRunsQuery = (workspace: string, count: number) =>
  apiQuery(apiRequest('get', LIST, { path: { workspace_id: workspace }, query: { 'page[size]': count } }));

/** Number of runs of a page. */
export const RUNS_PAGE_SIZE = 20;

/** Filters of the list of runs. */
export interface RunFilter {
  /** `final` or `non_final`; empty for all. */
  readonly group: string;
  /** Part of the message, the commit or the user. */
  readonly search: string;
}

/** Describes the request of one page of the runs of a workspace, newest first, with their configuration versions. */
export const listRuns = (workspace: string, { group, search }: RunFilter, page: number) =>
  apiRequest('get', LIST, {
    path: { workspace_id: workspace },
    query: {
      'filter[status_group]': group,
      'search[basic]': search,
      include: ['configuration_version', 'configuration_version.ingress_attributes'],
      'page[number]': page,
      'page[size]': RUNS_PAGE_SIZE,
    },
  });

export type RunsDocument = DocumentOf<'get', typeof LIST>;
