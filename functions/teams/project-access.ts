import { isDeepStrictEqual } from 'node:util';
import { NOWHERE } from '../../shared/access/authorize/confirm-rejection.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { mayOnProject, requireProjectPermission } from '../../shared/access/project-policy.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import {
  type CustomProjectAccess,
  levelOf,
  type ProjectGrant,
  type projectLevels,
  projectPartsOf,
} from '../../shared/domain/directory/grants.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { invalid, invalidRelationship, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { TeamProjectAttributes } from '../../shared/resources/team-projects/attributes.ts';
import { projectAccessNames, teamProjectRequest } from '../../shared/resources/team-projects/request-mapping.ts';
import { teamProjectResource } from '../../shared/resources/team-projects/response.ts';
import { teamResource } from '../../shared/resources/teams/response.ts';
import type { TeamProjectInclude } from '../../shared/routes/teams.ts';
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
 * Maps attributes to the access of a team to a project (TEAM-9, TEAM-10).
 * @param before the access that the team has; undefined for none.
 */
const projectGrantOf = (attributes: TeamProjectAttributes, before?: ProjectGrant): ProjectGrant => {
  const { access, ...parts } = teamProjectRequest(attributes);
  const level = access ?? (before === undefined ? undefined : levelOf<(typeof projectLevels)[number]>(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    requireNoParts(
      level,
      Object.keys(parts).map((part) => projectAccessNames[part as keyof CustomProjectAccess]),
    );
    return level;
  }
  return { ...(before !== undefined && projectPartsOf(before)), ...parts };
};

type ProjectAccessAction = 'project.read' | 'project.manage-teams';

const rightsIn = ({ caller, organization, record }: RecordAccess<Project>) =>
  effectiveRights(caller, organization, record);

/** Checks whether the caller manages the access of teams to the project. */
const managesAccess = (access: RecordAccess<Project>): boolean =>
  mayOnProject(rightsIn(access), 'project.manage-teams');

/** Finds a project by its id for a caller who may read, or manage, the access of teams to it. */
const findProject = (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: ProjectAccessAction,
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
    (access) => requireProjectPermission(rightsIn(access), action),
  );

/** Returns the resources that a request on the access of teams includes (TEAM-14); none without `include`. */
const includedWithAccess = async (
  { store }: TeamDependencies,
  access: RecordAccess<Project>,
  teams: readonly string[],
  include: ReadonlySet<TeamProjectInclude>,
): Promise<Pick<Document, 'included'>> => {
  if (include.size === 0) return {};
  const { organization, record: project } = access;
  return {
    included: [
      ...(include.has('project') && teams.length > 0
        ? [projectResource({ project, organization, rights: rightsIn(access) })]
        : []),
      ...(include.has('team') ? await includedTeams(store, access, teams) : []),
    ],
  };
};

/** Finds the project and the team of an access by its id, for a caller who may read, or manage, that access. */
const findProjectAccess = async (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: ProjectAccessAction,
): Promise<RecordAccess<Project> & { readonly team: string }> => {
  const { record, ...context } = await authorizeRecord(
    store,
    digest,
    async (consistent) => {
      const found = await store.teamAccess.findOnProject(id, consistent);
      const project = await store.projects.find(found?.project ?? NOWHERE.project, consistent);
      return found && project && { organization: project.organization, project, team: found.team };
    },
    ({ record: { project, team }, ...current }) => {
      if (!Object.hasOwn(project.access, team)) throw notFound();
      requireProjectPermission(rightsIn({ ...current, record: project }), 'project.read');
    },
  );
  const access = { ...context, record: record.project };
  await requireVisible(store, access, managesAccess(access), record.team, true);
  requireProjectPermission(rightsIn(access), action);
  return { ...access, team: record.team };
};

type ListRequest = Pick<OperationRequest<'team-projects.list'>, 'digest' | 'query' | 'include' | 'url'>;

/** Lists the access of all teams, or of one, to a project. */
const listAccessToProject = async (
  dependencies: TeamDependencies,
  { digest, query, include, url }: ListRequest,
  { subject: id, team: only }: AccessToSubject,
): Promise<Document> => {
  const access = await findProject(dependencies, digest, id, 'project.read');
  const teams = Object.keys(access.record.access).filter((team) => only === undefined || team === only);
  const visible = await visibleTeams(dependencies.store, access, managesAccess(access), teams);
  const rows = visible.map((team) => ({ team, resource: teamProjectResource(access.record, team) }));
  return presentAccess(rows, { query, url }, (shown) => includedWithAccess(dependencies, access, shown, include));
};

/** Lists the access of a team that the caller sees to all projects that the caller may read. */
const listAccessOfTeam = async (
  { store }: TeamDependencies,
  { digest, query, include, url }: ListRequest,
  id: string,
): Promise<Document> => {
  const page = readPage(query);
  const {
    caller,
    organization,
    record: team,
  } = await authorizeTeam(store, digest, id, undefined, store.listIndexes.refresh);
  const listIndex = await store.listIndexes.open(organization);
  const rightsTo = (project: Pick<Project, 'id' | 'access'>) => effectiveRights(caller, organization, project);
  const choose = () =>
    listIndex
      .projects()
      .filter((row) => Object.hasOwn(row.access, id) && canRead(rightsTo(row)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { total, projects } = await store.projectPages.read(listIndex, choose, rangeOf(page));
  const included = [
    ...(include.has('project')
      ? projects.map((project) => projectResource({ project, organization, rights: rightsTo(project) }))
      : []),
    ...(include.has('team') && projects.length > 0 ? [teamResource(team)] : []),
  ];
  return {
    data: projects.map((project) => teamProjectResource(project, id)),
    ...(include.size > 0 && { included }),
    ...paginate(page, total, url, query),
  };
};

const noTeam = () => notFound('There is no such team.');

export const projectAccessOperations = {
  /** `GET /team-projects`: the access to the project of the filter, or that of one team to all projects (TEAM-8). */
  'team-projects.list': (request, dependencies) => {
    const filter = readAccessFilter(request.query, 'filter[project][id]');
    return filter.subject === undefined
      ? listAccessOfTeam(dependencies, request, filter.team)
      : listAccessToProject(dependencies, request, filter);
  },

  /** `GET /team-projects/:team_project_id` */
  'team-projects.show': async ({ digest, parameters, include }, dependencies) => {
    const access = await findProjectAccess(dependencies, digest, parameters.team_project_id, 'project.read');
    const { record, team } = access;
    const included = await includedWithAccess(dependencies, access, [team], include);
    return { data: teamProjectResource(record, team), ...included };
  },

  /** `POST /team-projects` (TEAM-11) */
  'team-projects.create': async ({ contextFor, digest, body: { data } }, dependencies) => {
    const { relationships } = data;
    const grant = projectGrantOf(data.attributes);
    const access = await findProject(dependencies, digest, relationships.project.data.id, 'project.manage-teams');
    const team = relationships.team.data.id;
    await requireTeam(access, dependencies.store.teams.find(team, true));
    const { organization, id: project } = access.record;
    const request = contextFor(access.caller);
    let attempted = request.attempt === 'resumed';
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      // An earlier attempt of this request may have granted it without receiving the response of DynamoDB.
      const isOwn = attempted && isDeepStrictEqual(before, grant);
      if (before !== undefined && !isOwn) throw invalidRelationship('team', 'Team has already been taken');
      attempted = true;
      return grant;
    };
    const granted = dependencies.directory.projects.grantAccess(request, organization, project, { team, next, noTeam });
    return { data: teamProjectResource(await concealNotFound(granted), team) };
  },

  /** `PATCH /team-projects/:team_project_id`: keeps the parts that the body omits (TEAM-10). */
  'team-projects.update': async (
    { contextFor, digest, parameters: { team_project_id: id }, body: { data } },
    dependencies,
  ) => {
    const { caller, record, team } = await findProjectAccess(dependencies, digest, id, 'project.manage-teams');
    requireSameId(data.id, id);
    const { organization, id: project } = record;
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      if (before === undefined) throw notFound();
      return projectGrantOf(data.attributes ?? {}, before);
    };
    const request = contextFor(caller);
    const access = { team, next, noTeam: notFound, precondition: request.precondition };
    const changed = dependencies.directory.projects.grantAccess(request, organization, project, access);
    return { data: teamProjectResource(await concealNotFound(changed), team) };
  },

  /** `DELETE /team-projects/:team_project_id` */
  'team-projects.delete': async ({ contextFor, digest, parameters }, dependencies) => {
    const { team_project_id: id } = parameters;
    const { caller, record, team } = await findProjectAccess(dependencies, digest, id, 'project.manage-teams');
    const request = contextFor(caller);
    const { projects } = dependencies.directory;
    const { organization, id: project } = record;
    await concealNotFound(projects.revokeAccess(request, organization, project, team, request.precondition));
    return undefined;
  },
} satisfies Partial<Operations<'teams', TeamDependencies>>;
