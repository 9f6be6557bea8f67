import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes, required, routesOf } from './route.ts';

const { get, post, patch, remove } = routesOf('teams');
const ofOrganization = `${ORGANIZATION}/teams` as const;
const byId = `${BASE_PATH}/teams/{team_id}` as const;
const users = `${byId}/relationships/users` as const;
const memberships = `${byId}/relationships/organization-memberships` as const;

/** Values of `include` for teams, and for their access to workspaces and projects (TEAM-14). */
const teamIncludes = ['organization_memberships', 'users'] as const;
const workspaceAccessIncludes = ['workspace', 'team'] as const;
const projectAccessIncludes = ['project', 'team'] as const;
export type TeamInclude = (typeof teamIncludes)[number];
export type TeamWorkspaceInclude = (typeof workspaceAccessIncludes)[number];
export type TeamProjectInclude = (typeof projectAccessIncludes)[number];

/** Teams, and who is in them (docs/reference/teams.md). */
export const teams = {
  'teams.list': get(ofOrganization, 200, { includes: teamIncludes }),
  'teams.create': post(ofOrganization, 201, { body: required('team') }),
  'teams.show': get(byId, 200, { includes: teamIncludes }),
  'teams.update': patch(byId, 200, { conditional: true, body: { ...required('team'), validatedByOperation: true } }),
  'teams.delete': remove(byId, 204, { conditional: true }),
  'teams.add-users': post(users, 204, { body: required('teamUsers') }),
  'teams.remove-users': remove(users, 204, { body: required('teamUsers') }),
  'teams.list-memberships': get(memberships, 200),
  'teams.add-memberships': post(memberships, 204, { body: required('teamMemberships') }),
  'teams.remove-memberships': remove(memberships, 204, { body: required('teamMemberships') }),
} satisfies Routes;

const onProjects = `${BASE_PATH}/team-projects` as const;
const onProject = `${onProjects}/{team_project_id}` as const;

/** Access of teams to projects (docs/reference/teams.md). */
export const teamProjects = {
  'team-projects.list': get(onProjects, 200, { includes: projectAccessIncludes }),
  'team-projects.create': post(onProjects, 201, { body: required('teamProject') }),
  'team-projects.show': get(onProject, 200, { includes: projectAccessIncludes }),
  'team-projects.update': patch(onProject, 200, { conditional: true, body: required('teamProjectUpdate') }),
  'team-projects.delete': remove(onProject, 204, { conditional: true }),
} satisfies Routes;

const onWorkspaces = `${BASE_PATH}/team-workspaces` as const;
const onWorkspace = `${onWorkspaces}/{team_workspace_id}` as const;

/** Access of teams to workspaces (docs/reference/teams.md). */
export const teamWorkspaces = {
  'team-workspaces.list': get(onWorkspaces, 200, { includes: workspaceAccessIncludes }),
  'team-workspaces.create': post(onWorkspaces, 201, { body: required('teamWorkspace') }),
  'team-workspaces.show': get(onWorkspace, 200, { includes: workspaceAccessIncludes }),
  'team-workspaces.update': patch(onWorkspace, 200, { conditional: true, body: required('teamWorkspaceUpdate') }),
  'team-workspaces.delete': remove(onWorkspace, 204, { conditional: true }),
} satisfies Routes;
