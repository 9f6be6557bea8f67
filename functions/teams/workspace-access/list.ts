import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { teamWorkspaceResource } from '../../../shared/resources/team-workspaces/response.ts';
import { presentAccess, requiredFilter, visibleTeams } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { includedWithAccess } from './find.ts';

/** `GET /team-workspaces`: the access of all teams to the workspace of the filter (TEAM-8). */
export const listWorkspaceAccess =
  (dependencies: TeamDependencies): Operation<'team-workspaces.list'> =>
  async ({ digest, query, include, url }) => {
    const { store } = dependencies;
    const target = { id: requiredFilter(query, 'filter[workspace][id]') };
    const access = await authorizeWorkspace(store, digest, target, 'workspace.read-settings');
    const { workspace, rights } = access;
    const visible = await visibleTeams(store, access, rights.teamAccess, Object.keys(workspace.access));
    const rows = visible.map((team) => ({ team, resource: teamWorkspaceResource({ workspace, team }) }));
    return presentAccess(rows, { query, url }, (teams) => includedWithAccess(dependencies, access, teams, include));
  };
