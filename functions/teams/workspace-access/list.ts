import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../../shared/jsonapi/pagination.ts';
import { teamWorkspaceResource } from '../../../shared/resources/team-workspaces/response.ts';
import { requiredFilter, visibleTeams } from '../access.ts';
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
    const rows = visible
      .map((team) => ({ team, resource: teamWorkspaceResource({ workspace, team }) }))
      .sort((a, b) => (a.resource.id < b.resource.id ? -1 : 1));
    const page = readPageOf(rows, query);
    const shown = slice(rows, page);
    const included = await includedWithAccess(
      dependencies,
      access,
      shown.map(({ team }) => team),
      include,
    );
    return { data: shown.map(({ resource }) => resource), ...included, ...paginate(page, rows.length, url, query) };
  };
