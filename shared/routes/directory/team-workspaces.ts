import { BASE_PATH } from '../api.ts';
import type { Routes } from '../route.ts';

const all = `${BASE_PATH}/team-workspaces` as const;
const one = `${all}/{team_workspace_id}` as const;

/** Values of `include` for access to workspaces (TEAM-14). */
const includes = ['workspace', 'team'] as const;
export type TeamWorkspaceInclude = (typeof includes)[number];

/** Access of teams to workspaces (docs/reference/teams.md). */
export const teamWorkspaces = {
  'team-workspaces.list': { method: 'GET', path: all, function: 'teams', status: 200, includes },
  'team-workspaces.create': {
    method: 'POST',
    path: all,
    function: 'teams',
    status: 201,
    body: { schema: 'teamWorkspace', required: true },
  },
  'team-workspaces.show': { method: 'GET', path: one, function: 'teams', status: 200, includes },
  'team-workspaces.update': {
    method: 'PATCH',
    path: one,
    function: 'teams',
    status: 200,
    conditional: true,
    body: { schema: 'teamWorkspaceUpdate', required: true },
  },
  'team-workspaces.delete': { method: 'DELETE', path: one, function: 'teams', status: 204, conditional: true },
} as const satisfies Routes;
