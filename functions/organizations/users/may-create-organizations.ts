import type { User } from '../../../shared/domain/directory/records.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** Checks whether a user may create organizations: by the deployment setting, or as a site administrator (ORG-2). */
export const mayCreateOrganizations = (
  { siteAdmin = false }: Pick<User, 'siteAdmin'>,
  { usersMayCreateOrganizations }: Pick<OrganizationDependencies, 'usersMayCreateOrganizations'>,
): boolean => usersMayCreateOrganizations || siteAdmin;
