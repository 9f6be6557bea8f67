import type { Operation } from '../../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../../shared/jsonapi/pagination.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import { requiredFilter, visibleTeams } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findProject, includedWithAccess, managesAccess } from './find.ts';

/** `GET /team-projects`: the access of all teams to the project of the filter (TEAM-8). */
export const listProjectAccess =
  (dependencies: TeamDependencies): Operation<'team-projects.list'> =>
  async ({ digest, query, include, url }) => {
    const id = requiredFilter(query, 'filter[project][id]');
    const access = await findProject(dependencies, digest, id, 'project.read');
    const teams = Object.keys(access.record.access);
    const visible = await visibleTeams(dependencies.store, access, managesAccess(access), teams);
    const rows = visible
      .map((team) => ({ team, resource: teamProjectResource(access.record, team) }))
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
