import { revokeAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findWorkspaceAccess } from './find.ts';

/** `DELETE /team-workspaces/:team_workspace_id` */
export const deleteWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.delete'> =>
  async ({ contextFor, digest, parameters: { team_workspace_id } }) => {
    const access = await findWorkspaceAccess(dependencies, digest, team_workspace_id, 'team-access.manage');
    const request = contextFor(access.caller);
    await dependencies.store.apply(access.workspace, revokeAccess(access.team), request);
    return undefined;
  };
