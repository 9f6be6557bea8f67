import { queryOptions } from '@tanstack/react-query';
import { downloadState, listStateVersions, showStateVersion } from '../../../../shared/client/state-versions.ts';
import { apiQuery, queryKeyOf } from './query-client.ts';
import { download } from './send.ts';

/** Builds the query of one page of the state versions of a workspace. */
export const stateVersionsQuery = (organization: string, workspace: string, page: number) =>
  apiQuery(listStateVersions(organization, workspace, page));

/** Builds the query of one state version. */
export const stateVersionQuery = (version: string) => apiQuery(showStateVersion(version));

/**
 * Builds the query of the raw state of a version, as bytes. They are not kept after the page is left.
 * @param onProgress called with the number of bytes that have arrived.
 */
export const stateContentQuery = (version: string, onProgress: (bytes: number) => void) =>
  queryOptions({
    queryKey: queryKeyOf(downloadState(version).url),
    queryFn: async ({ signal }) => (await download(downloadState(version), { signal, onProgress })).arrayBuffer(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
