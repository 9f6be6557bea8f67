import { authorizeWorkspace, type WorkspaceAccess } from '../../../shared/access/authorize/workspace.ts';
import { requirePermission } from '../../../shared/access/workspace-policy.ts';
import { presentWorkspace } from '../../../shared/documents/workspace-documents.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import type { TeamWorkspaceInclude } from '../../../shared/routes/teams.ts';
import { includedTeams, requireVisible } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';

/** Returns the resources that a request on the access of teams includes (TEAM-14); none without `include`. */
export const includedWithAccess = async (
  dependencies: TeamDependencies,
  access: WorkspaceAccess,
  teams: readonly string[],
  include: ReadonlySet<TeamWorkspaceInclude>,
): Promise<Pick<Document, 'included'>> => {
  if (include.size === 0) return {};
  const workspace =
    include.has('workspace') && teams.length > 0 ? await presentWorkspace(dependencies, access) : undefined;
  return {
    included: [
      ...(workspace === undefined ? [] : [workspace.data].flat()),
      ...(include.has('team') ? await includedTeams(dependencies.store, access, teams) : []),
    ],
  };
};

/** Finds the workspace and the team of an access by its id, for a caller who may read, or manage, that access. */
export const findWorkspaceAccess = async (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: 'workspace.read-settings' | 'team-access.manage',
): Promise<WorkspaceAccess & { readonly team: string }> => {
  const target = { owner: (consistent: boolean) => store.teamAccess.findOnWorkspace(id, consistent) };
  const access = await authorizeWorkspace(store, digest, target, async (current, consistent) => {
    const { team } = current.owner;
    if (!Object.hasOwn(current.workspace.access, team)) throw notFound();
    await requireVisible(store, current, current.rights.teamAccess, team, consistent);
    requirePermission(current, action);
  });
  return { ...access, team: access.owner.team };
};
