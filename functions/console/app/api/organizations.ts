import { apiRequest } from '../../../../shared/client/request.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import { apiQuery } from './query-client.ts';

/** Describes the request of the organizations of the caller (ORG-4). The list is complete. */
export const listOrganizations = () => apiRequest('get', '/api/v2/organizations', {});

/** Builds the query of the organizations of the caller. */
export const organizationsQuery = () => apiQuery(listOrganizations());

const ONE = '/api/v2/organizations/{organization_name}';

/** Describes the request of an organization. */
export const showOrganization = (organization: string) =>
  apiRequest('get', ONE, { path: { organization_name: organization } });

/** Builds the query of an organization, with the permissions of the caller. */
export const organizationQuery = (organization: string) => apiQuery(showOrganization(organization));

export type OrganizationAttributes = NonNullable<Schemas['OrganizationUpdateBody']['data']['attributes']>;

/** Describes the update of an organization (ORG-5). With `ifMatch`, it changes only that revision. */
export const updateOrganization = (organization: string, attributes: OrganizationAttributes, ifMatch?: string) =>
  apiRequest(
    'patch',
    ONE,
    { path: { organization_name: organization }, body: { data: { type: 'organizations', attributes } } },
    { ifMatch },
  );

/** Describes the request of the user of the token. It is 404 for tokens of teams and organizations (AUTH-7). */
export const showAccount = () => apiRequest('get', '/api/v2/account/details', {});

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
