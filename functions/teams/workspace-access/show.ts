import type { Operation } from '../../../shared/http/operation.ts';
import { teamWorkspaceDocument } from '../../../shared/resources/team-workspaces/response.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findWorkspaceAccess, includedWithAccess } from './find.ts';

/** `GET /team-workspaces/:team_workspace_id` */
export const showWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.show'> =>
  async ({ digest, parameters: { team_workspace_id: id }, include }) => {
    const access = await findWorkspaceAccess(dependencies, digest, id, 'workspace.read-settings');
    return {
      ...teamWorkspaceDocument(access),
      ...(await includedWithAccess(dependencies, access, [access.team], include)),
    };
  };
