import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `DELETE /organizations/:organization_name`: deleted for every caller at once; the name becomes free later (ORG-8). */
export const deleteOrganization =
  ({ store, removal }: OrganizationDependencies): Operation<'organizations.delete'> =>
  async ({ contextFor, digest, parameters: { organization_name: name } }) => {
    const { caller } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'organization.delete'),
    );
    if (!(await removal.beginOrganization(contextFor(caller), name))) throw notFound();
    return undefined;
  };
