import { isDeepStrictEqual } from 'node:util';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { changeAccess, revokeAccess } from '../../shared/domain/directory/directory-transitions.ts';
import { type CustomAccess, levelOf, partsOf, type WorkspaceGrant } from '../../shared/domain/directory/grants.ts';
import { invalid, invalidRelationship, notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { TeamWorkspaceAttributes } from '../../shared/resources/team-workspaces/request.ts';
import {
  teamWorkspaceDocument,
  teamWorkspaceResource,
  workspaceAccessNames,
} from '../../shared/resources/team-workspaces/response.ts';
import type { Store } from '../../shared/store/store.ts';
import { sameResource } from './answers.ts';
import type { DirectoryServices, Group } from './services.ts';
import { refuseParts, requiredFilter, requireTeam, requireVisible, visibleTeams } from './team-access.ts';

/** The grant that attributes ask for, where there was another one or none (TEAM-9, TEAM-10). */
const grantOf = (attributes: TeamWorkspaceAttributes, before?: WorkspaceGrant): WorkspaceGrant => {
  const given = Object.entries(workspaceAccessNames).filter(([, name]) => attributes[name] !== undefined);
  const level = attributes.access ?? (before === undefined ? undefined : levelOf(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    refuseParts(
      level,
      given.map(([, name]) => name),
    );
    return level;
  }
  return {
    ...(before !== undefined && partsOf(before)),
    ...(Object.fromEntries(given.map(([part, name]) => [part, attributes[name]])) as CustomAccess),
  };
};

/** `GET /team-workspaces`: of the workspace that the filter names. */
const list =
  ({ store }: DirectoryServices): Operation<'team-workspaces.list'> =>
  async ({ digest, query, url }) => {
    const target = { id: requiredFilter(query, 'filter[workspace][id]') };
    const access = await authorizeWorkspace(store, digest, target, 'workspace.read-settings');
    const { workspace, rights } = access;
    const visible = await visibleTeams(store, access, rights.teamAccess, Object.keys(workspace.access));
    const rows = visible.map((team) => teamWorkspaceResource({ workspace, team })).sort(byId);
    const page = readPageOf(rows, query);
    return { data: slice(rows, page), ...paginate(page, rows.length, url, query) };
  };

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/** `POST /team-workspaces` */
const create =
  ({ store }: DirectoryServices): Operation<'team-workspaces.create'> =>
  async ({ id, digest, body: { data } }) => {
    const { team: named, workspace: subject } = data.relationships;
    const grant = grantOf(data.attributes);
    const first = startEarly(store.findTeam(named.data.id, false));
    const access = await authorizeWorkspace(store, digest, subject.data, async (current, consistent) => {
      requirePermission(current, 'team-access.manage');
      await requireTeam(current, consistent ? store.findTeam(named.data.id, true) : first);
    });
    const team = named.data.id;
    const request = { id, principal: access.caller.principal };
    const granted = changeAccess(request, team, (before) => {
      if (before !== undefined) throw invalidRelationship('team', 'Team has already been taken');
      return grant;
    });
    return teamWorkspaceDocument({ workspace: await store.apply(access.workspace, granted, request), team });
  };

/** The workspace that an id of access leads to, and the team, for who may see, or change, what it may do. */
const authorize = async (
  store: Store,
  digest: string,
  id: string,
  action: 'workspace.read-settings' | 'team-access.manage',
): Promise<WorkspaceAccess & { readonly team: string }> => {
  const target = { owner: (consistent: boolean) => store.findWorkspaceAccess(id, consistent) };
  const access = await authorizeWorkspace(store, digest, target, async (current, consistent) => {
    const { team } = current.owner;
    if (!Object.hasOwn(current.workspace.access, team)) throw notFound();
    await requireVisible(store, current, current.rights.teamAccess, team, consistent);
    requirePermission(current, action);
  });
  return { ...access, team: access.owner.team };
};

/** `GET /team-workspaces/:team_workspace_id` */
const show =
  ({ store }: DirectoryServices): Operation<'team-workspaces.show'> =>
  async ({ digest, parameters }) =>
    teamWorkspaceDocument(await authorize(store, digest, parameters.team_workspace_id, 'workspace.read-settings'));

/** `PATCH /team-workspaces/:team_workspace_id`: what is left out stays, also where a level becomes custom. */
const update =
  ({ store }: DirectoryServices): Operation<'team-workspaces.update'> =>
  async ({ id, digest, parameters: { team_workspace_id }, body: { data } }) => {
    const { attributes = {} } = data;
    const access = await authorize(store, digest, team_workspace_id, 'team-access.manage');
    const { caller, team, workspace } = access;
    sameResource(data.id, team_workspace_id);
    const next = (before: WorkspaceGrant | undefined): WorkspaceGrant => {
      if (before === undefined) throw notFound();
      return grantOf(attributes, before);
    };
    const before = workspace.access[team];
    if (isDeepStrictEqual(next(before), before)) return teamWorkspaceDocument(access);
    const request = { id, principal: caller.principal };
    const changed = await store.apply(workspace, changeAccess(request, team, next), request);
    return teamWorkspaceDocument({ workspace: changed, team });
  };

/** `DELETE /team-workspaces/:team_workspace_id` */
const remove =
  ({ store }: DirectoryServices): Operation<'team-workspaces.delete'> =>
  async ({ id, digest, parameters }) => {
    const { caller, team, workspace } = await authorize(
      store,
      digest,
      parameters.team_workspace_id,
      'team-access.manage',
    );
    const request = { id, principal: caller.principal };
    await store.apply(workspace, revokeAccess(team), request);
    return undefined;
  };

export const teamWorkspaces = (services: DirectoryServices): Group<'team-workspaces'> => ({
  'team-workspaces.list': list(services),
  'team-workspaces.create': create(services),
  'team-workspaces.show': show(services),
  'team-workspaces.update': update(services),
  'team-workspaces.delete': remove(services),
});
