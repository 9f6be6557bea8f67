import { revokeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import { accessOf, whileMatching } from '../../../shared/domain/transitions/while-matching.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findWorkspaceAccess } from './find.ts';

/** `DELETE /team-workspaces/:team_workspace_id` */
export const deleteWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.delete'> =>
  async ({ contextFor, digest, parameters: { team_workspace_id } }) => {
    const access = await findWorkspaceAccess(dependencies, digest, team_workspace_id, 'team-access.manage');
    const request = contextFor(access.caller);
    const transition = whileMatching(request, revokeAccess(access.team), accessOf(access.team));
    await dependencies.store.workspaces.apply(access.workspace, transition, request);
    return undefined;
  };
