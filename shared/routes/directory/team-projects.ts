import { BASE_PATH } from '../api.ts';
import type { Routes } from '../route.ts';

const all = `${BASE_PATH}/team-projects` as const;
const one = `${all}/{team_project_id}` as const;

/** Values of `include` for access to projects (TEAM-14). */
const includes = ['project', 'team'] as const;
export type TeamProjectInclude = (typeof includes)[number];

/** Access of teams to projects (docs/reference/teams.md). */
export const teamProjects = {
  'team-projects.list': { method: 'GET', path: all, function: 'teams', status: 200, includes },
  'team-projects.create': {
    method: 'POST',
    path: all,
    function: 'teams',
    status: 201,
    body: { schema: 'teamProject', required: true },
  },
  'team-projects.show': { method: 'GET', path: one, function: 'teams', status: 200, includes },
  'team-projects.update': {
    method: 'PATCH',
    path: one,
    function: 'teams',
    status: 200,
    conditional: true,
    body: { schema: 'teamProjectUpdate', required: true },
  },
  'team-projects.delete': { method: 'DELETE', path: one, function: 'teams', status: 204, conditional: true },
} as const satisfies Routes;
