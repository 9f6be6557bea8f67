import { apiQuery } from './query-client.ts';
import { apiRequest } from './request.ts';

/** Describes the request of the organizations of the caller (ORG-4). The list is complete. */
export const listOrganizations = () => apiRequest('get', '/api/v2/organizations', {});

/** Builds the query of the organizations of the caller. */
export const organizationsQuery = () => apiQuery(listOrganizations());

/** Builds the query of the user of the token. It is 404 for tokens of teams and organizations (AUTH-7). */
export const accountQuery = () => ({
  ...apiQuery(apiRequest('get', '/api/v2/account/details', {})),
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
