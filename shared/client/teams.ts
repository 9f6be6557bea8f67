import { apiRequest } from './request.ts';
import type { DocumentOf, Entered, Schemas } from './types.ts';

export type Team = Schemas['Team'];
export type OrganizationAccess = Team['attributes']['organization-access'];

/** Describes the request of one page of the teams of an organization, with their members. */
export const listTeams = (organization: string, number: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/teams', {
    path: { organization_name: organization },
    query: { include: ['users'], 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the request of one page of the teams of an organization, without their members. */
export const listTeamsOnly = (organization: string, number: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/teams', {
    path: { organization_name: organization },
    query: { 'page[number]': number, 'page[size]': 100 },
  });

/** A team as the user edits it. */
export type TeamInput = Entered<Schemas['TeamBody'], 'allow-member-token-management'>;

/** Describes the creation of a team. */
export const createTeam = (organization: string, attributes: TeamInput) =>
  apiRequest('post', '/api/v2/organizations/{organization_name}/teams', {
    path: { organization_name: organization },
    body: { data: { type: 'teams', attributes } },
  });

/** Describes the update of a team. With `ifMatch`, it changes only that revision. */
export const updateTeam = (id: string, attributes: Partial<TeamInput>, ifMatch: string | undefined) =>
  apiRequest(
    'patch',
    '/api/v2/teams/{team_id}',
    { path: { team_id: id }, body: { data: { type: 'teams', attributes } } },
    { ifMatch },
  );

/** Describes the deletion of a team. */
export const deleteTeam = (id: string) => apiRequest('delete', '/api/v2/teams/{team_id}', { path: { team_id: id } });

export type TeamDocument = DocumentOf<'get', '/api/v2/teams/{team_id}'>;

/** Describes the request of a team with its members. */
export const showTeam = (id: string) =>
  apiRequest('get', '/api/v2/teams/{team_id}', { path: { team_id: id }, query: { include: ['users'] } });

/** Describes the addition of a member of the organization to a team (TEAM-5). */
export const addTeamMember = (team: string, membership: string) =>
  apiRequest('post', '/api/v2/teams/{team_id}/relationships/organization-memberships', {
    path: { team_id: team },
    body: { data: [{ type: 'organization-memberships', id: membership }] },
  });

/** Describes the removal of a user from a team (TEAM-5). */
export const removeTeamMember = (team: string, user: string) =>
  apiRequest('delete', '/api/v2/teams/{team_id}/relationships/users', {
    path: { team_id: team },
    body: { data: [{ type: 'users', id: user }] },
  });
