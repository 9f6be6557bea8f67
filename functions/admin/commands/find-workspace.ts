import { notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { Workspaces } from '../../../shared/store/workspaces/workspace-store.ts';

/**
 * Finds a workspace by its name or id.
 * @param isAccepted decides by default that a deleted workspace is found by its id.
 * @throws DomainError 404 when there is none.
 */
export const findWorkspace = async (
  workspaces: Pick<Workspaces, 'find' | 'findClaim'>,
  organization: string,
  nameOrId: string,
  isAccepted = (_: Workspace): boolean => true,
): Promise<Workspace> => {
  const byId = async (id: string | undefined): Promise<Workspace | undefined> => {
    const workspace = id !== undefined && isId('workspace', id) ? await workspaces.find(id) : undefined;
    return workspace?.organization === organization && isAccepted(workspace) ? workspace : undefined;
  };
  // The id is tried first, because the name of one workspace may equal the id of another.
  const found = (await byId(nameOrId)) ?? (await byId((await workspaces.findClaim(organization, nameOrId))?.workspace));
  if (found === undefined) throw notFound(`There is no workspace ${nameOrId} in this organization.`);
  return found;
};
