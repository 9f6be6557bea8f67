import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/teams` as const;
const byId = `${BASE_PATH}/teams/{team_id}` as const;
const users = `${byId}/relationships/users` as const;
const memberships = `${byId}/relationships/organization-memberships` as const;

/** Values of `include` for teams (TEAM-14). */
const includes = ['organization_memberships', 'users'] as const;
export type TeamInclude = (typeof includes)[number];

const team = { schema: 'team', required: true } as const;
const usernames = { schema: 'teamUsers', required: true } as const;
const members = { schema: 'teamMemberships', required: true } as const;

/** Teams, and who is in them (docs/reference/teams.md). */
export const teams = {
  'teams.list': { method: 'GET', path: ofOrganization, function: 'teams', status: 200, includes },
  'teams.create': { method: 'POST', path: ofOrganization, function: 'teams', status: 201, body: team },
  'teams.show': { method: 'GET', path: byId, function: 'teams', status: 200, includes },
  'teams.update': {
    method: 'PATCH',
    path: byId,
    function: 'teams',
    status: 200,
    conditional: true,
    body: { ...team, validatedByOperation: true },
  },
  'teams.delete': { method: 'DELETE', path: byId, function: 'teams', status: 204, conditional: true },
  'teams.add-users': { method: 'POST', path: users, function: 'teams', status: 204, body: usernames },
  'teams.remove-users': { method: 'DELETE', path: users, function: 'teams', status: 204, body: usernames },
  'teams.add-memberships': { method: 'POST', path: memberships, function: 'teams', status: 204, body: members },
  'teams.remove-memberships': {
    method: 'DELETE',
    path: memberships,
    function: 'teams',
    status: 204,
    body: members,
  },
} as const satisfies Routes;
