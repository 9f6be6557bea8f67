import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import type { TeamDependencies } from './dependencies.ts';
import { presentTeams } from './present.ts';

/** `GET /organizations/:organization_name/teams`: the teams that the caller sees (TEAM-2). */
export const listTeams =
  (dependencies: TeamDependencies): Operation<'teams.list'> =>
  async ({ digest, parameters, query, include, url }) => {
    const page = readPage(query);
    const access = await authorizeOrganization(dependencies.store, digest, {
      organization: parameters.organization_name,
    });
    const text = (query.get('q') ?? '').toLowerCase();
    const names = (query.get('filter[names]') ?? '').split(',').filter(Boolean);
    const teams = await dependencies.directory.records.listAll('team', access.organization.name);
    const rows = teams.filter(
      (team) =>
        seesTeam(access, team) &&
        team.name.toLowerCase().includes(text) &&
        (names.length === 0 || names.includes(team.name)),
    );
    const presented = await presentTeams(dependencies, access, slice(rows, page), include);
    return { ...presented, ...paginate(page, rows.length, url, query) };
  };
