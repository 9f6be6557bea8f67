import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { missingPermission, type UsedPermission } from '../../lib/permissions.ts';

type Permission = Extract<keyof Schemas['Organization']['attributes']['permissions'], UsedPermission>;

/** Returns the name of the organization of the page. */
export const useOrganizationName = (): string =>
  useParams({ strict: false, select: ({ organization }) => organization ?? '' });

/** Returns why the user may not do something in the organization. Until that is known, nothing is disabled. */
export const useMissingPermission = (permission: Permission): string | undefined => {
  const organization = useQuery(organizationQuery(useOrganizationName()));
  const permissions = organization.data?.document.data.attributes.permissions;
  return permissions === undefined ? undefined : missingPermission(permissions, permission);
};
