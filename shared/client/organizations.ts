import { apiRequest } from './request.ts';
import type { Schemas } from './types.ts';

/** Describes the request of the organizations of the caller (ORG-4). The list is complete. */
export const listOrganizations = () => apiRequest('get', '/api/v2/organizations', {});

/** Describes the creation of an organization, which the caller then owns (ORG-2). */
export const createOrganization = (name: string, email: string) =>
  apiRequest('post', '/api/v2/organizations', {
    body: { data: { type: 'organizations', attributes: { name, email } } },
  });

const ONE = '/api/v2/organizations/{organization_name}';

/** Describes the request of an organization. */
export const showOrganization = (organization: string) =>
  apiRequest('get', ONE, { path: { organization_name: organization } });

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

/** Describes the request of the numbers of workspaces of an organization (STAT-1). */
export const showStatistics = (organization: string) =>
  apiRequest('get', `${ONE}/statistics`, { path: { organization_name: organization } });
