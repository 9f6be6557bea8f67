import { queryOptions } from '@tanstack/react-query';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { DocumentOf, FiltersOf, Run } from '../../../../shared/client/types.ts';
import { send } from './send.ts';

const LIST = '/api/v2/workspaces/{workspace_id}/runs';

/** Statuses of the runs that the metrics of a workspace cover (RUN-9). */
const measured: readonly string[] = ['applied', 'errored'] satisfies readonly Run['attributes']['status'][];

/** Returns whether the metrics of a workspace can cover a run. */
export const isMeasured = ({ attributes }: Run): boolean => measured.includes(attributes.status);

/**
 * Builds the query of the runs that the metrics of a workspace cover, newest first. A filter reads all runs of the workspace
 * (RUN-11), so it is used only where other runs, such as runs of pull requests, are the majority.
 * @param count number of runs that the metrics cover
 */
export const measuredRunsQuery = (workspace: string, count: number) =>
  queryOptions({
    queryKey: ['workspaces', workspace, 'runs', 'measured', count],
    queryFn: async ({ signal }): Promise<readonly Run[]> => {
      const load = async (query: { readonly 'filter[status]'?: string; readonly 'page[size]': number }) =>
        (await send(apiRequest('get', LIST, { path: { workspace_id: workspace }, query }), { signal })).document.data;
      const newest = (await load({ 'page[size]': 2 * count })).filter(isMeasured);
      return newest.length >= count
        ? newest.slice(0, count)
        : load({ 'filter[status]': measured.join(','), 'page[size]': count });
    },
  });

/** Number of runs of a page. */
export const RUNS_PAGE_SIZE = 20;

/** Filters of the API that the list of runs does not offer: `search[basic]` finds users and commits, too. */
type NotOffered =
  | 'filter[operation]'
  | 'filter[source]'
  | 'filter[status]'
  | 'filter[timeframe]'
  | 'search[commit]'
  | 'search[user]';

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
      ...({ 'filter[status_group]': group, 'search[basic]': search } satisfies Record<
        Exclude<FiltersOf<typeof LIST>, NotOffered>,
        string
      >),
      include: ['configuration_version', 'configuration_version.ingress_attributes'],
      'page[number]': page,
      'page[size]': RUNS_PAGE_SIZE,
    },
  });

export type RunsDocument = DocumentOf<'get', typeof LIST>;

/** Describes the request of a run with its configuration version. */
export const showRun = (run: string) =>
  apiRequest('get', '/api/v2/runs/{run_id}', {
    path: { run_id: run },
    query: { include: ['configuration_version', 'configuration_version.ingress_attributes'] },
  });
