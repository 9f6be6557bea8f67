import { useQuery } from '@tanstack/react-query';
import {
  listOrganizations,
  showAccount,
  showOrganization,
  showStatistics,
} from '../../../../shared/client/organizations.ts';
import { apiRequest } from '../../../../shared/client/request.ts';
import { missingPermission } from '../lib/permissions.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of the organizations of the caller. */
export const organizationsQuery = () => apiQuery(listOrganizations());

/** Builds the query of an organization, with the permissions of the caller. */
export const organizationQuery = (organization: string) => apiQuery(showOrganization(organization));

/** Builds the query of the numbers of workspaces of an organization. */
export const statisticsQuery = (organization: string) => apiQuery(showStatistics(organization));

/** Builds the query of the user of the token. */
export const accountQuery = () => ({
  ...apiQuery(showAccount()),
  staleTime: 600_000,
});

/** Builds the query of the projects of an organization whose name contains a text. */
export const projectsQuery = (organization: string, search = '') =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/projects', {
      path: { organization_name: organization },
      query: { q: search, 'page[size]': 100 },
    }),
  );

/** Builds the query of the flat tags of an organization. */
export const organizationTagsQuery = (organization: string, search = '') =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/tags', {
      path: { organization_name: organization },
      query: { q: search, 'page[size]': 100 },
    }),
  );

/**
 * Returns why the user may create workspaces in no project of the organization. Until that is known, nothing is disabled.
 * Sign-in has loaded the organizations, so that only the list itself is requested after it. The projects are loaded for
 * users only who may not create workspaces in all of them.
 */
export const useMissingCreation = (organization: string): string | undefined => {
  const organizations = useQuery({ ...organizationsQuery(), staleTime: 60_000 }).data?.document.data;
  const permissions = organizations?.find(({ id }) => id === organization)?.attributes.permissions;
  const missing = permissions && missingPermission(permissions, 'can-create-workspace');
  const projects = useQuery({ ...projectsQuery(organization), enabled: missing !== undefined });
  if (projects.data === undefined) return undefined;
  const { data, meta } = projects.data.document;
  const isPossible = data.some(({ attributes }) => attributes.permissions['can-create-workspace']);
  // A project that is not loaded may allow it.
  return isPossible || meta.pagination['total-count'] > data.length ? undefined : missing;
};
