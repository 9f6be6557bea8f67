import { isDeepStrictEqual } from 'node:util';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { mayOnProject, requireProjectPermission } from '../../shared/access/project-policy.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
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
import type { Operation } from '../../shared/http/endpoints.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import type { TeamProjectAttributes } from '../../shared/resources/team-projects/request.ts';
import { projectAccessNames, teamProjectResource } from '../../shared/resources/team-projects/response.ts';
import { grantProjectAccess, revokeProjectAccess } from '../../shared/store/directory/project-access.ts';
import { orAbsent, sameResource } from './answers.ts';
import type { DirectoryServices, Group } from './services.ts';
import { refuseParts, requiredFilter, requireTeam, requireVisible, visibleTeams } from './team-access.ts';

/** The grant that attributes ask for, where there was another one or none (TEAM-9, TEAM-10). */
const grantOf = (attributes: TeamProjectAttributes, before?: ProjectGrant): ProjectGrant => {
  const partIn = (group: 'project-access' | 'workspace-access', name: string): unknown =>
    (attributes[group] as Readonly<Record<string, unknown>> | undefined)?.[name];
  const given = projectAccessNames.filter(([group, name]) => partIn(group, name) !== undefined);
  const level =
    attributes.access ?? (before === undefined ? undefined : levelOf<(typeof projectLevels)[number]>(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    refuseParts(
      level,
      given.map(([group, name]) => `${group}.${name}`),
    );
    return level;
  }
  return {
    ...(before !== undefined && projectPartsOf(before)),
    ...(Object.fromEntries(given.map(([group, name, part]) => [part, partIn(group, name)])) as CustomProjectAccess),
  };
};

const rightsIn = ({ caller, organization, record }: RecordAccess<Project>) =>
  effectiveRights(caller, organization, record);
const manages = (access: RecordAccess<Project>): boolean => mayOnProject(rightsIn(access), 'project.manage-teams');

/** A project by its id, for who may see, or change, who has access to it. */
const findProject = (
  { store }: DirectoryServices,
  digest: string,
  id: string,
  action: 'project.read' | 'project.manage-teams',
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.findProject(id, consistent) : undefined),
    (access) => requireProjectPermission(rightsIn(access), action),
  );

const document = (project: Project, team: string): Document => ({ data: teamProjectResource(project, team) });

/** `GET /team-projects`: of the project that the filter names. */
const list =
  (services: DirectoryServices): Operation<'team-projects.list'> =>
  async ({ digest, query, url }) => {
    const id = requiredFilter(query, 'filter[project][id]');
    const access = await findProject(services, digest, id, 'project.read');
    const teams = Object.keys(access.record.access);
    const visible = await visibleTeams(services.store, access, manages(access), teams);
    const rows = visible.map((team) => teamProjectResource(access.record, team)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const page = readPageOf(rows, query);
    return { data: slice(rows, page), ...paginate(page, rows.length, url, query) };
  };

const noTeam = () => notFound('There is no such team.');

/** `POST /team-projects` */
const create =
  (services: DirectoryServices): Operation<'team-projects.create'> =>
  async ({ digest, body: { data } }) => {
    const { team: named, project: subject } = data.relationships;
    const grant = grantOf(data.attributes);
    const access = await findProject(services, digest, subject.data.id, 'project.manage-teams');
    const team = named.data.id;
    await requireTeam(access, services.store.findTeam(team, true));
    const { organization, id: project } = access.record;
    let attempted = false;
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      // What an attempt whose answer was lost has given is this request's own.
      const isOwn = attempted && isDeepStrictEqual(before, grant);
      if (before !== undefined && !isOwn) throw invalidRelationship('team', 'Team has already been taken');
      attempted = true;
      return grant;
    };
    const granted = grantProjectAccess(services.administration, { organization, project, team }, next, noTeam);
    return document(await orAbsent(granted), team);
  };

/** The project that an id of access leads to, and the team, for who may see, or change, what it may do. */
const find = async (
  { store }: DirectoryServices,
  digest: string,
  id: string,
  action: 'project.read' | 'project.manage-teams',
): Promise<RecordAccess<Project> & { readonly team: string }> => {
  const { record, ...context } = await authorizeRecord(
    store,
    digest,
    async (consistent) => {
      const found = await store.findProjectAccess(id, consistent);
      const project = found && (await store.findProject(found.project, consistent));
      return project && { organization: project.organization, project, team: found.team };
    },
    ({ record: { project, team }, ...current }) => {
      if (!Object.hasOwn(project.access, team)) throw notFound();
      requireProjectPermission(rightsIn({ ...current, record: project }), 'project.read');
    },
  );
  const access = { ...context, record: record.project };
  await requireVisible(store, access, manages(access), record.team, true);
  requireProjectPermission(rightsIn(access), action);
  return { ...access, team: record.team };
};

/** `GET /team-projects/:team_project_id` */
const show =
  (services: DirectoryServices): Operation<'team-projects.show'> =>
  async ({ digest, parameters }) => {
    const { record, team } = await find(services, digest, parameters.team_project_id, 'project.read');
    return document(record, team);
  };

/** `PATCH /team-projects/:team_project_id`: what is left out stays. */
const update =
  (services: DirectoryServices): Operation<'team-projects.update'> =>
  async ({ digest, parameters: { team_project_id: id }, body: { data } }) => {
    const { record, team } = await find(services, digest, id, 'project.manage-teams');
    sameResource(data.id, id);
    const { organization, id: project } = record;
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      if (before === undefined) throw notFound();
      return grantOf(data.attributes ?? {}, before);
    };
    const changed = grantProjectAccess(services.administration, { organization, project, team }, next, notFound);
    return document(await orAbsent(changed), team);
  };

/** `DELETE /team-projects/:team_project_id` */
const remove =
  (services: DirectoryServices): Operation<'team-projects.delete'> =>
  async ({ digest, parameters }) => {
    const { record, team } = await find(services, digest, parameters.team_project_id, 'project.manage-teams');
    await orAbsent(revokeProjectAccess(services.administration.records, record.organization, record.id, team));
    return undefined;
  };

export const teamProjects = (services: DirectoryServices): Group<'team-projects'> => ({
  'team-projects.list': list(services),
  'team-projects.create': create(services),
  'team-projects.show': show(services),
  'team-projects.update': update(services),
  'team-projects.delete': remove(services),
});
