import { apiRequest } from './request.ts';
import type { Schemas } from './types.ts';

export type TeamWorkspace = Schemas['TeamWorkspace'];
export type AccessLevel = TeamWorkspace['attributes']['access'];
type TeamAccessInput = Partial<TeamWorkspace['attributes']> & Pick<TeamWorkspace['attributes'], 'access'>;

/** Describes the request of one page of the access of teams to a workspace. */
export const listTeamAccess = (workspace: string, page: number) =>
  apiRequest('get', '/api/v2/team-workspaces', {
    query: { 'filter[workspace][id]': workspace, include: ['team'], 'page[number]': page, 'page[size]': 20 },
  });

/** Describes the request of one page of the workspaces to which a team has access, by name (TEAM-8). */
export const listWorkspacesOfTeam = (team: string, page: number, size = 20) =>
  apiRequest('get', '/api/v2/team-workspaces', {
    query: { 'filter[team][id]': team, include: ['workspace'], 'page[number]': page, 'page[size]': size },
  });

/** Describes a new access of a team to a workspace. */
export const addTeamAccess = (workspace: string, team: string, attributes: TeamAccessInput) =>
  apiRequest('post', '/api/v2/team-workspaces', {
    body: {
      data: {
        type: 'team-workspaces',
        attributes,
        relationships: { team: { data: { id: team } }, workspace: { data: { id: workspace } } },
      },
    },
  });

/** Describes a change of the access of a team. */
export const changeTeamAccess = (id: string, attributes: Partial<TeamAccessInput>) =>
  apiRequest('patch', '/api/v2/team-workspaces/{team_workspace_id}', {
    path: { team_workspace_id: id },
    body: { data: { type: 'team-workspaces', attributes } },
  });

/** Describes the removal of the access of a team. */
export const removeTeamAccess = (id: string) =>
  apiRequest('delete', '/api/v2/team-workspaces/{team_workspace_id}', { path: { team_workspace_id: id } });
