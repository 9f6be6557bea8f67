import type { Operation } from '../../../shared/http/operation.ts';
import { teamWorkspaceDocument } from '../../../shared/resources/team-workspaces/response.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findWorkspaceAccess } from './find.ts';

/** `GET /team-workspaces/:team_workspace_id` */
export const showWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.show'> =>
  async ({ digest, parameters }) =>
    teamWorkspaceDocument(
      await findWorkspaceAccess(dependencies, digest, parameters.team_workspace_id, 'workspace.read-settings'),
    );
