import { queryOptions } from '@tanstack/react-query';
import {
  countResources,
  downloadState,
  listStateVersions,
  showStateVersion,
} from '../../../../shared/client/state-versions.ts';
import { apiQuery, queryKeyOf } from './query-client.ts';
import { download, send } from './send.ts';

/** Builds the query of one page of the state versions of a workspace. */
export const stateVersionsQuery = (organization: string, workspace: string, page: number, size?: number) =>
  apiQuery(listStateVersions(organization, workspace, page, size));

/** Builds the query of one state version. */
export const stateVersionQuery = (version: string) => apiQuery(showStateVersion(version));

/**
 * Builds the query of the number of resources by type and by module. For each request the service reads the whole state, so
 * one is sent for each state version only.
 */
export const resourceCountsQuery = (workspace: string, version: string) =>
  queryOptions({
    queryKey: ['workspaces', workspace, 'resources', 'counts', version],
    queryFn: async ({ signal }) => (await send(countResources(workspace), { signal })).document.meta,
    staleTime: Number.POSITIVE_INFINITY,
  });

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
