import { authorizeWorkspace, type WorkspaceAccess } from '../../../shared/access/authorize/workspace.ts';
import { requirePermission } from '../../../shared/access/workspace-policy.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { requireVisible } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';

/** Finds the workspace and the team of an access by its id, for a caller who may read, or manage, that access. */
export const findWorkspaceAccess = async (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: 'workspace.read-settings' | 'team-access.manage',
): Promise<WorkspaceAccess & { readonly team: string }> => {
  const target = { owner: (consistent: boolean) => store.findWorkspaceAccess(id, consistent) };
  const access = await authorizeWorkspace(store, digest, target, async (current, consistent) => {
    const { team } = current.owner;
    if (!Object.hasOwn(current.workspace.access, team)) throw notFound();
    await requireVisible(store, current, current.rights.teamAccess, team, consistent);
    requirePermission(current, action);
  });
  return { ...access, team: access.owner.team };
};
