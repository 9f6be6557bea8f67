import type { Operation } from '../../../shared/http/operation.ts';
import { teamWorkspaceDocument } from '../../../shared/resources/team-workspaces/response.ts';
import type { TeamServices } from '../services.ts';
import { findWorkspaceAccess } from './find.ts';

/** `GET /team-workspaces/:team_workspace_id` */
export const showWorkspaceAccess =
  (services: TeamServices): Operation<'team-workspaces.show'> =>
  async ({ digest, parameters }) =>
    teamWorkspaceDocument(
      await findWorkspaceAccess(services, digest, parameters.team_workspace_id, 'workspace.read-settings'),
    );
