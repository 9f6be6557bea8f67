import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../../shared/jsonapi/pagination.ts';
import { teamWorkspaceResource } from '../../../shared/resources/team-workspaces/response.ts';
import { requiredFilter, visibleTeams } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';

/** `GET /team-workspaces`: the access of all teams to the workspace of the filter (TEAM-8). */
export const listWorkspaceAccess =
  ({ store }: TeamDependencies): Operation<'team-workspaces.list'> =>
  async ({ digest, query, url }) => {
    const target = { id: requiredFilter(query, 'filter[workspace][id]') };
    const access = await authorizeWorkspace(store, digest, target, 'workspace.read-settings');
    const { workspace, rights } = access;
    const visible = await visibleTeams(store, access, rights.teamAccess, Object.keys(workspace.access));
    const rows = visible
      .map((team) => teamWorkspaceResource({ workspace, team }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = readPageOf(rows, query);
    return { data: slice(rows, page), ...paginate(page, rows.length, url, query) };
  };
