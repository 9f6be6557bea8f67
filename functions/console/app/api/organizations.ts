import {
  listOrganizations,
  showAccount,
  showOrganization,
  showStatistics,
} from '../../../../shared/client/organizations.ts';
import { apiRequest } from '../../../../shared/client/request.ts';
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
