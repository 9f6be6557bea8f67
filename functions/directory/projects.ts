import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { type ProjectAction, requireProjectPermission } from '../../shared/access/project-policy.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import type { Caller, Organization, Project } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { addBindings, replaceBindings } from '../../shared/domain/tags/tag.ts';
import { move } from '../../shared/domain/transitions/move-workspace.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import { inactivityOf } from '../../shared/domain/workspace/auto-destroy.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation, OperationRequest } from '../../shared/http/endpoints.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { projectDocument, projectResource } from '../../shared/resources/projects/response.ts';
import { bindingResource, effectiveBindingResource } from '../../shared/resources/tags/response.ts';
import { orAbsent, sameResource } from './answers.ts';
import { readDefaultPool } from './pools.ts';
import { projectBindingsOf, projectChangeOf } from './project-request.ts';
import type { DirectoryServices, Group } from './services.ts';

/** A project that a path names by its id, for who may do that with it; one that they cannot see is not there. */
const find = (
  { store }: DirectoryServices,
  digest: string,
  id: string,
  action: ProjectAction,
  reads?: (project: Project) => Promise<void>,
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.findProject(id, consistent) : undefined),
    ({ caller, organization, record }) =>
      requireProjectPermission(effectiveRights(caller, organization, record), action),
    reads,
  );

/** The same, with what counts its workspaces brought up to date beside. */
const findCounted = (services: DirectoryServices, digest: string, id: string, action: ProjectAction) =>
  find(services, digest, id, action, ({ organization }) => services.store.listIndexes.refresh(organization));

const present = async (
  { store }: DirectoryServices,
  { caller, organization }: { readonly caller: Caller; readonly organization: Organization },
  project: Project,
): Promise<Document> => {
  const listIndex = await store.listIndexes.open(organization);
  const rights = effectiveRights(caller, organization, project);
  return projectDocument({ project, organization, rights, workspaceCount: listIndex.workspacesIn(project.id) });
};

const directions = { name: 1, '-name': -1 } as const;
const readDirection = (query: URLSearchParams): 1 | -1 => {
  const sort = query.get('sort') || 'name';
  if (Object.hasOwn(directions, sort)) return directions[sort as keyof typeof directions];
  throw new DomainError('bad-request', `sort must be one of: ${Object.keys(directions).join(', ')}`, {
    source: { parameter: 'sort' },
  });
};

/** `GET /organizations/:organization_name/projects` */
const list =
  ({ store }: DirectoryServices): Operation<'projects.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, url }) => {
    const [page, sign] = [readPage(query), readDirection(query)];
    const text = (query.get('q') ?? '').toLowerCase();
    const names = new Set((query.get('filter[names]') ?? '').split(',').filter(Boolean));
    const [{ caller, organization }] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      store.listIndexes.refresh(name),
    ]);
    const listIndex = await store.listIndexes.open(organization);
    const choose = () =>
      listIndex
        .projects()
        .filter(
          (row) =>
            canRead(effectiveRights(caller, organization, row)) &&
            row.name.toLowerCase().includes(text) &&
            (names.size === 0 || names.has(row.name)),
        )
        .sort((a, b) => sign * (Number(a.name > b.name) - Number(a.name < b.name)) || Number(a.id > b.id) - 1);
    const { total, projects } = await store.readProjects(listIndex, choose, rangeOf(page));
    const resources = projects.map((project) =>
      projectResource({
        project,
        organization,
        rights: effectiveRights(caller, organization, project),
        workspaceCount: listIndex.workspacesIn(project.id),
      }),
    );
    return { data: resources, ...paginate(page, total, url, query) };
  };

/** `POST /organizations/:organization_name/projects` */
const create =
  (services: DirectoryServices): Operation<'projects.create'> =>
  async ({ digest, parameters: { organization_name: name }, body: { data } }) => {
    const { store, projects: administration } = services;
    const { attributes = {}, relationships } = data;
    const pool = readDefaultPool(store, attributes['default-agent-pool-id'], relationships?.['default-agent-pool']);
    const { caller, organization } = await authorizeOrganization(store, digest, { organization: name }, (access) =>
      requireOrganizationPermission(access, 'project.create'),
    );
    if (attributes.name === undefined) throw invalid('name', "Name can't be blank");
    const bindings = projectBindingsOf(relationships?.['tag-bindings']?.data ?? [], BINDINGS);
    const { record, created } = await orAbsent(
      administration.createProject(name, attributes.name, {
        ...projectChangeOf(attributes),
        ...(await pool(name)),
        bindings: (before, at) => replaceBindings(before, bindings, at),
      }),
    );
    if (!created) throw nameTaken();
    const rights = effectiveRights(caller, organization, record);
    return projectDocument({ project: record, organization, rights, workspaceCount: 0 });
  };
const BINDINGS = '/data/relationships/tag-bindings/data';

/** `GET /projects/:project_id` */
const show =
  (services: DirectoryServices): Operation<'projects.show'> =>
  async ({ digest, parameters }) => {
    const access = await findCounted(services, digest, parameters.project_id, 'project.read');
    return present(services, access, access.record);
  };

/** `PATCH /projects/:project_id`: what is left out stays; bindings that are given take the place of all. */
const update =
  (services: DirectoryServices): Operation<'projects.update'> =>
  async ({ digest, parameters: { project_id: id }, body: { data } }) => {
    const { store, projects: administration } = services;
    const { attributes = {}, relationships } = data;
    const given = relationships?.['tag-bindings']?.data ?? undefined;
    const bindings = given && projectBindingsOf(given, BINDINGS);
    const pool = readDefaultPool(store, attributes['default-agent-pool-id'], relationships?.['default-agent-pool']);
    const access = await findCounted(services, digest, id, 'project.update');
    sameResource(data.id, id);
    const { organization } = access.record;
    const project = await orAbsent(
      administration.updateProject(organization, id, {
        ...projectChangeOf(attributes, access.record),
        ...(await pool(organization)),
        ...(attributes.name !== undefined && { newName: attributes.name }),
        ...(bindings && { bindings: (before, at) => replaceBindings(before, bindings, at) }),
      }),
    );
    return present(services, access, project);
  };

/** `DELETE /projects/:project_id` */
const remove =
  (services: DirectoryServices): Operation<'projects.delete'> =>
  async ({ id: request, digest, parameters: { project_id: id } }) => {
    const { caller, record } = await find(services, digest, id, 'project.delete');
    const item = await services.administration.records.findItem('project', record.organization, id);
    if (item === undefined) throw notFound();
    await services.removalFor({ id: request, principal: caller.principal }).begin(item);
    return undefined;
  };

/**
 * `POST /projects/:project_id/relationships/workspaces`: all are looked at before any is moved; which are in the project
 * already stay where they are.
 */
const moveWorkspaces =
  (services: DirectoryServices): Operation<'projects.move-workspaces'> =>
  async ({ id: request, digest, parameters: { project_id: target }, body: { data } }) => {
    const { store } = services;
    const ids = [...new Set(data.map(({ id }) => id))];
    const {
      caller,
      record,
      checked: workspaces,
    } = await authorizeRecord(
      store,
      digest,
      async (consistent) => (isId('project', target) ? store.findProject(target, consistent) : undefined),
      async ({ caller, organization, record: project }, consistent) => {
        requireProjectPermission(effectiveRights(caller, organization, project), 'project.read');
        const workspaces = await findWorkspaces(services, { caller, organization }, ids, consistent);
        requirePermission({ caller, organization, project }, 'workspace.move');
        return workspaces;
      },
    );
    const by = { id: request, principal: caller.principal };
    const to = { id: target, inactivity: inactivityOf(record) };
    const moved = workspaces.filter(({ project }) => project !== target);
    await mapWithConcurrency(moved, CONCURRENCY, (workspace) =>
      store.apply(workspace, move(by, workspace.project, to, now()), by),
    );
    return undefined;
  };
/** Number of workspaces that are moved at the same time. */
const CONCURRENCY = 10;

/** @throws DomainError 404 for a workspace that the caller cannot read, 403 for one that they may not move. */
const findWorkspaces = async (
  { store }: DirectoryServices,
  { caller, organization }: { readonly caller: Caller; readonly organization: Organization },
  ids: readonly string[],
  consistent: boolean,
): Promise<readonly Workspace[]> => {
  const asked = ids.filter((id) => isId('workspace', id));
  // Its long text is no business of a move, but an image without it would lose it: rows do not say who has one.
  const found = await store.findAll(
    asked.map((id) => ({ id, hasLongText: true })),
    true,
  );
  const workspaces = found.filter((it) => isAlive(it) && it.organization === organization.name);
  const projects = await Promise.all(
    [...new Set(workspaces.map(({ project }) => project))].map((id) => store.findProject(id, consistent)),
  );
  const inProject = (workspace: Workspace) => ({
    caller,
    organization,
    project: projects.find((project) => project?.id === workspace.project),
    workspace,
  });
  const readable = workspaces.filter((workspace) => {
    const { project } = inProject(workspace);
    return project !== undefined && canRead(effectiveRights(caller, organization, project, workspace));
  });
  if (readable.length < ids.length) throw notFound();
  for (const workspace of readable) requirePermission(inProject(workspace), 'workspace.move');
  return readable;
};

type ListRequest = Pick<OperationRequest<'projects.list-bindings'>, 'query' | 'url'>;
const listed = (resources: readonly Resource[], { query, url }: ListRequest): Document => {
  const page = readPageOf(resources, query);
  return { data: slice(resources, page), ...paginate(page, resources.length, url, query) };
};
const bindingsOf = (organization: Organization, { id, bindings }: Project): readonly Resource[] =>
  bindings.map((tag) => bindingResource(organization, { type: 'projects', id }, tag));

/** `GET /projects/:project_id/tag-bindings` */
const listBindings =
  (services: DirectoryServices): Operation<'projects.list-bindings'> =>
  async ({ digest, parameters, query, url }) => {
    const { organization, record } = await find(services, digest, parameters.project_id, 'project.read');
    return listed(bindingsOf(organization, record), { query, url });
  };

/** `GET /projects/:project_id/effective-tag-bindings`: the same, as nothing is above a project that has any. */
const listEffectiveBindings =
  (services: DirectoryServices): Operation<'projects.list-effective-bindings'> =>
  async ({ digest, parameters, query, url }) => {
    const { organization, record } = await find(services, digest, parameters.project_id, 'project.read');
    const resources = record.bindings.map((tag) => effectiveBindingResource(organization, record.id, tag));
    return listed(resources, { query, url });
  };

/** `PATCH /projects/:project_id/tag-bindings`: adds, gives keys that are there their values, answers all. */
const addProjectBindings =
  (services: DirectoryServices): Operation<'projects.add-bindings'> =>
  async ({ digest, parameters: { project_id: id }, body, query, url }) => {
    const given = projectBindingsOf(body.data, '/data');
    const { organization, record } = await find(services, digest, id, 'project.update');
    const project = await orAbsent(
      services.projects.updateProject(record.organization, id, {
        bindings: (before, at) => addBindings(before, given, at),
      }),
    );
    return listed(bindingsOf(organization, project), { query, url });
  };

export const projects = (services: DirectoryServices): Group<'projects'> => ({
  'projects.list': list(services),
  'projects.create': create(services),
  'projects.show': show(services),
  'projects.update': update(services),
  'projects.delete': remove(services),
  'projects.move-workspaces': moveWorkspaces(services),
  'projects.list-bindings': listBindings(services),
  'projects.add-bindings': addProjectBindings(services),
  'projects.list-effective-bindings': listEffectiveBindings(services),
});
