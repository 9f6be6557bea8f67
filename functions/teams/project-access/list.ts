import type { Operation } from '../../../shared/http/operation.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import { presentAccess, requiredFilter, visibleTeams } from '../access.ts';
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
    const rows = visible.map((team) => ({ team, resource: teamProjectResource(access.record, team) }));
    return presentAccess(rows, { query, url }, (teams) => includedWithAccess(dependencies, access, teams, include));
  };
