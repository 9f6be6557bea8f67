import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { tokenTtlLimits } from '../../shared/resources/organization-token-ttl-policies/request-mapping.ts';
import {
  tokenTtlPolicyResource,
  tokenTtlPolicyRows,
} from '../../shared/resources/organization-token-ttl-policies/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

export const tokenTtlPolicyOperations = {
  /** `GET /organizations/:organization_name/token-ttl-policies` (AUTH-22) */
  'token-ttl-policies.list': async ({ digest, parameters, query, url }, { store }) => {
    const { organization } = await authorizeOrganization(store, digest, { organization: parameters.organization_name });
    return listDocument(tokenTtlPolicyRows(organization), { query, url }, tokenTtlPolicyResource);
  },

  /** `PATCH /organizations/:organization_name/token-ttl-policies` (AUTH-22) */
  'token-ttl-policies.update': async (
    { contextFor, digest, parameters: { organization_name: name }, body: { data }, query, url },
    { store, directory },
  ) => {
    const limits = tokenTtlLimits(data.attributes['token-ttl-policies']);
    const { caller } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'organization.update'),
    );
    const organization = await concealNotFound(
      directory.organizations.setTokenTtlPolicies(contextFor(caller), name, limits),
    );
    return listDocument(tokenTtlPolicyRows(organization), { query, url }, tokenTtlPolicyResource);
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
