import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { entitlementSetDocument } from '../../shared/resources/organizations/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `GET /organizations/:organization_name/entitlement-set`: clients send it first (ORG-7). */
export const showEntitlements =
  ({ store, features }: OrganizationDependencies): Operation<'organizations.entitlements'> =>
  async ({ digest, parameters }) => {
    const organization = parameters.organization_name;
    const access = await authorizeOrganization(store, digest, { organization, admits: 'run' });
    return entitlementSetDocument({ ...access, features });
  };
