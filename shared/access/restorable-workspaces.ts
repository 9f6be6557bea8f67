import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { ListIndex } from '../list-index/list-index.ts';
import type { RestorableRow } from '../list-index/row.ts';
import type { OrganizationAccess } from './authorize/organization.ts';
import { canRestore } from './deleted-workspace-policy.ts';
import { effectiveRights, type Rights } from './rights.ts';

/** Returns the deleted workspaces that a caller may restore (DEL-17), and the rights of the caller on each. */
export const restorableWorkspaces = (
  listIndex: ListIndex,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
) => {
  /** Returns the rights in the project to which a workspace would be restored. */
  const rightsOn = ({ id, access, project: former }: Pick<Workspace, 'id' | 'access' | 'project'>): Rights => {
    const row = listIndex.project(former);
    const project = row && !row.isDeleted ? row : listIndex.project(organization.defaultProject);
    return effectiveRights(caller, organization, project, { id, access });
  };
  return {
    rightsOn,
    /** @param at time in milliseconds. @returns the last deleted one first. */
    rows: (at: number): readonly RestorableRow[] => listIndex.restorable(at).filter((row) => canRestore(rightsOn(row))),
  };
};
