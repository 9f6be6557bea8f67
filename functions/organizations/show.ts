import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `GET /organizations/:organization_name` */
export const showOrganization =
  ({ store, features }: OrganizationDependencies): Operation<'organizations.show'> =>
  async ({ digest, parameters }) => {
    const access = await authorizeOrganization(store, digest, { organization: parameters.organization_name });
    return organizationDocument({ ...access, features });
  };
