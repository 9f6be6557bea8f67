import { useQuery } from '@tanstack/react-query';
import { organizationsQuery, projectsQuery } from '../../api/organizations.ts';
import { missingPermission } from '../../lib/permissions.ts';

/**
 * Returns why the user may create workspaces in no project of the organization. Until that is known, nothing is disabled.
 * Sign-in has loaded the organizations, so that only the list itself is requested after it. The projects are loaded for
 * users only who may not create workspaces in all of them.
 */
export const useMissingCreation = (organization: string): string | undefined => {
  const organizations = useQuery({ ...organizationsQuery(), staleTime: 60_000 }).data?.document.data;
  const permissions = organizations?.find(({ id }) => id === organization)?.attributes.permissions;
  const missing = permissions && missingPermission(permissions, 'can-create-workspace');
  const projects = useQuery({ ...projectsQuery(organization), enabled: missing !== undefined });
  if (projects.data === undefined) return undefined;
  const { data, meta } = projects.data.document;
  const isPossible = data.some(({ attributes }) => attributes.permissions['can-create-workspace']);
  // A project that is not loaded may allow it.
  return isPossible || meta.pagination['total-count'] > data.length ? undefined : missing;
};
