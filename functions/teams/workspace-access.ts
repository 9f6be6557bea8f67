import { isDeepStrictEqual } from 'node:util';
import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import { presentPage, presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import { kebabCase } from '../../shared/domain/changes/wire-names.ts';
import { levelOf, partsOf, type WorkspaceGrant } from '../../shared/domain/directory/grants.ts';
import { invalid, invalidRelationship, notFound } from '../../shared/domain/errors.ts';
import { changeAccess, revokeAccess } from '../../shared/domain/transitions/relationships/change-team-access.ts';
import { accessOf, whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import { valueTest } from '../../shared/list-index/row-tests.ts';
import type { Filter } from '../../shared/list-index/selection.ts';
import {
  type TeamWorkspaceAttributes,
  teamWorkspaceRequest,
} from '../../shared/resources/team-workspaces/attributes.ts';
import { teamWorkspaceDocument, teamWorkspaceResource } from '../../shared/resources/team-workspaces/response.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import type { TeamWorkspaceInclude } from '../../shared/routes/teams.ts';
import {
  type AccessToSubject,
  includedTeams,
  presentAccess,
  readAccessFilter,
  requireNoParts,
  requireTeam,
  requireVisible,
  visibleTeams,
} from './access.ts';
import type { TeamDependencies } from './dependencies.ts';

/**
 * Maps attributes to the access of a team to a workspace (TEAM-9, TEAM-10).
 * @param before the access that the team has; undefined for none.
 */
const workspaceGrantOf = (attributes: TeamWorkspaceAttributes, before?: WorkspaceGrant): WorkspaceGrant => {
  const { access, ...parts } = teamWorkspaceRequest(attributes);
  const level = access ?? (before === undefined ? undefined : levelOf(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    requireNoParts(level, Object.keys(parts).map(kebabCase));
    return level;
  }
  return { ...(before !== undefined && partsOf(before)), ...parts };
};

/** Returns the resources that a request on the access of teams includes (TEAM-14); none without `include`. */
const includedWithAccess = async (
  dependencies: TeamDependencies,
  access: WorkspaceAccess,
  teams: readonly string[],
  include: ReadonlySet<TeamWorkspaceInclude>,
): Promise<Pick<Document, 'included'>> => {
  if (include.size === 0) return {};
  const workspace =
    include.has('workspace') && teams.length > 0 ? await presentWorkspace(dependencies, access) : undefined;
  return {
    included: [
      ...(workspace === undefined ? [] : [workspace.data].flat()),
      ...(include.has('team') ? await includedTeams(dependencies.store, access, teams) : []),
    ],
  };
};

/** Finds the workspace and the team of an access by its id, for a caller who may read, or manage, that access. */
const findWorkspaceAccess = async (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: 'workspace.read-settings' | 'team-access.manage',
): Promise<WorkspaceAccess & { readonly team: string }> => {
  const target = { owner: (consistent: boolean) => store.teamAccess.findOnWorkspace(id, consistent) };
  const access = await authorizeWorkspace(store, digest, target, async (current, consistent) => {
    const { team } = current.owner;
    if (!Object.hasOwn(current.workspace.access, team)) throw notFound();
    await requireVisible(store, current, current.rights.teamAccess, team, consistent);
    requirePermission(current, action);
  });
  return { ...access, team: access.owner.team };
};

type ListRequest = Pick<OperationRequest<'team-workspaces.list'>, 'digest' | 'query' | 'include' | 'url'>;

/** Lists the access of all teams, or of one, to a workspace. */
const listAccessToWorkspace = async (
  dependencies: TeamDependencies,
  { digest, query, include, url }: ListRequest,
  { subject: id, team: only }: AccessToSubject,
): Promise<Document> => {
  const { store } = dependencies;
  const access = await authorizeWorkspace(store, digest, { id }, 'workspace.read-settings');
  const { workspace, rights } = access;
  const teams = Object.keys(workspace.access).filter((team) => only === undefined || team === only);
  const visible = await visibleTeams(store, access, rights.teamAccess, teams);
  const rows = visible.map((team) => ({ team, resource: teamWorkspaceResource({ workspace, team }) }));
  return presentAccess(rows, { query, url }, (shown) => includedWithAccess(dependencies, access, shown, include));
};

/** Creates the filter of the workspaces that a team has access to. */
const accessibleTo = (team: string): Filter => ({
  key: `accessible to ${team}`,
  tests: ({ rows }) => [valueTest(rows, 'access', (access) => Object.hasOwn(access, team))],
});

/** Lists the access of a team that the caller sees to all workspaces that the caller may read. */
const listAccessOfTeam = async (
  dependencies: TeamDependencies,
  { digest, query, include, url }: ListRequest,
  id: string,
): Promise<Document> => {
  const { store } = dependencies;
  const page = readPage(query);
  const {
    caller,
    organization,
    record: team,
  } = await authorizeTeam(store, digest, id, undefined, store.listIndexes.refresh);
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  const selection = { reading, filter: accessibleTo(id), order: 'name', direction: 'ascending' } as const;
  const { count, workspaces } = await store.workspacePages.read(
    listIndex,
    () => listIndex.select({ ...selection, ...rangeOf(page) }),
    !reading.everything,
  );
  const shown = include.has('workspace')
    ? await presentPage(dependencies, listIndex, { caller, organization }, workspaces, { include: new Set(), url })
    : { data: [] };
  const included = [...shown.data, ...(include.has('team') && workspaces.length > 0 ? [teamResource(team)] : [])];
  return {
    data: workspaces.map((workspace) => teamWorkspaceResource({ workspace, team: id })),
    ...(include.size > 0 && { included }),
    ...paginate(page, count, url, query),
  };
};

export const workspaceAccessOperations = {
  /** `GET /team-workspaces`: the access to the workspace of the filter, or that of one team to all workspaces (TEAM-8). */
  'team-workspaces.list': (request, dependencies) => {
    const filter = readAccessFilter(request.query, 'filter[workspace][id]');
    return filter.subject === undefined
      ? listAccessOfTeam(dependencies, request, filter.team)
      : listAccessToWorkspace(dependencies, request, filter);
  },

  /** `GET /team-workspaces/:team_workspace_id` */
  'team-workspaces.show': async ({ digest, parameters: { team_workspace_id: id }, include }, dependencies) => {
    const access = await findWorkspaceAccess(dependencies, digest, id, 'workspace.read-settings');
    return {
      ...teamWorkspaceDocument(access),
      ...(await includedWithAccess(dependencies, access, [access.team], include)),
    };
  },

  /** `POST /team-workspaces` (TEAM-11) */
  'team-workspaces.create': async ({ contextFor, digest, body: { data } }, { store }) => {
    const { relationships } = data;
    const team = relationships.team.data.id;
    const grant = workspaceGrantOf(data.attributes);
    const firstRead = startEarly(store.teams.find(team, false));
    const access = await authorizeWorkspace(
      store,
      digest,
      relationships.workspace.data,
      async (current, consistent) => {
        requirePermission(current, 'team-access.manage');
        await requireTeam(current, consistent ? store.teams.find(team, true) : firstRead);
      },
    );
    const request = contextFor(access.caller);
    const granted = changeAccess(request, team, (before) => {
      // An earlier attempt of this request may have granted it.
      if (request.attempt === 'resumed' && isDeepStrictEqual(before, grant)) return grant;
      if (before !== undefined) throw invalidRelationship('team', 'Team has already been taken');
      return grant;
    });
    return teamWorkspaceDocument({ workspace: await store.workspaces.apply(access.workspace, granted, request), team });
  },

  /** `PATCH /team-workspaces/:team_workspace_id`: keeps the parts that the body omits (TEAM-10). */
  'team-workspaces.update': async (
    { contextFor, digest, parameters: { team_workspace_id: id }, body: { data } },
    dependencies,
  ) => {
    const { attributes = {} } = data;
    const access = await findWorkspaceAccess(dependencies, digest, id, 'team-access.manage');
    const { caller, team, workspace } = access;
    requireSameId(data.id, id);
    const next = (before: WorkspaceGrant | undefined): WorkspaceGrant => {
      if (before === undefined) throw notFound();
      return workspaceGrantOf(attributes, before);
    };
    const request = contextFor(caller);
    const before = workspace.access[team];
    requireMatch(request.precondition, accessOf(team).of(workspace));
    if (isDeepStrictEqual(next(before), before)) return teamWorkspaceDocument(access);
    const transition = whileMatching(request, changeAccess(request, team, next), accessOf(team));
    const changed = await dependencies.store.workspaces.apply(workspace, transition, request);
    return teamWorkspaceDocument({ workspace: changed, team });
  },

  /** `DELETE /team-workspaces/:team_workspace_id` */
  'team-workspaces.delete': async ({ contextFor, digest, parameters: { team_workspace_id } }, dependencies) => {
    const access = await findWorkspaceAccess(dependencies, digest, team_workspace_id, 'team-access.manage');
    const request = contextFor(access.caller);
    const transition = whileMatching(request, revokeAccess(access.team), accessOf(access.team));
    await dependencies.store.workspaces.apply(access.workspace, transition, request);
    return undefined;
  },
} satisfies Partial<Operations<'teams', TeamDependencies>>;
