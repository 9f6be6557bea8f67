import type { Caller, Organization } from '../domain/directory/records.ts';
import type { Reading } from '../list-index/selection.ts';
import { canRead, organizationRights, type Rights, scopeOf, sharedAccess } from './rights.ts';

/** Returns whether a caller may read all workspaces and projects of an organization. */
export const canReadEverything = (caller: Caller, organization: Pick<Organization, 'name' | 'access'>): boolean =>
  canRead(organizationRights(caller, organization));

/**
 * Which of an organization's workspaces a caller may read. Access is a union, so it is found part by part, and each part
 * once for all the workspaces that share it.
 * @param allow whether rights suffice; by default, those to read the workspace.
 */
export const readingOf = (
  caller: Caller,
  organization: Pick<Organization, 'name' | 'access'>,
  allow: (rights: Rights) => boolean = canRead,
): Reading => {
  const { everything, project, grants } = sharedAccess(caller, organization, allow);
  const scope = scopeOf(caller);
  if (scope === undefined) return { everything, project, grants };
  return { everything: false, project, grants, scope };
};
