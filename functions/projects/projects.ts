import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord, type RecordAccess } from '../../shared/access/authorize/record.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission, requireReferencesPermission } from '../../shared/access/organization-policy.ts';
import { mayOnProject, type ProjectAction, requireProjectPermission } from '../../shared/access/project-policy.ts';
import { canRead, effectiveRights, type Rights } from '../../shared/access/rights.ts';
import { requirePermission } from '../../shared/access/workspace-policy.ts';
import type { Caller, Organization, Project } from '../../shared/domain/directory/records.ts';
import type { ProjectChange } from '../../shared/domain/directory/transitions/projects.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { type Binding, replaceBindings } from '../../shared/domain/tags/tag.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import { inheritedProtection } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operations } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import { readCommaValues, readFlags, readTags } from '../../shared/list-index/query-values.ts';
import {
  defaultAgentPoolChange,
  pointAtDefaultAgentPool,
  type RequestedAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { defaultSettings } from '../../shared/resources/attribute-table.ts';
import { organizationResource } from '../../shared/resources/organizations/response.ts';
import { attributes, type ProjectRequest, projectRequest } from '../../shared/resources/projects/attributes.ts';
import { projectDocument, projectResource } from '../../shared/resources/projects/response.ts';
import { readBindings } from '../../shared/resources/tags/request-mapping.ts';
import { effectiveProjectBindings } from '../../shared/resources/tags/response.ts';
import type { ProjectInclude } from '../../shared/routes/projects.ts';
import type { ProjectDependencies } from './dependencies.ts';

/**
 * Finds a project by its id for a caller who may perform the action.
 * @param reads further reads, in parallel with the reads of the authorization.
 * @param check throws to reject the request for a further reason.
 * @throws DomainError 401; 404 when the caller cannot see the project; 403.
 */
export const findProject = (
  { store }: ProjectDependencies,
  digest: string,
  id: string,
  action: ProjectAction,
  reads?: (organization: string) => Promise<void>,
  check?: (access: RecordAccess<Project>) => void,
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
    (access) => {
      requireProjectPermission(effectiveRights(access.caller, access.organization, access.record), action);
      check?.(access);
    },
    reads,
  );

/** Finds a project like `findProject`, and refreshes the list index in parallel; it counts the workspaces. */
const findProjectAndRefresh = (
  dependencies: ProjectDependencies,
  digest: string,
  id: string,
  action: ProjectAction,
  check?: (access: RecordAccess<Project>) => void,
): Promise<RecordAccess<Project>> =>
  findProject(dependencies, digest, id, action, dependencies.store.listIndexes.refresh, check);

/** A caller in an organization. */
interface CallerInOrganization {
  readonly caller: Caller;
  readonly organization: Organization;
}

const BINDINGS = 'effective-tag-bindings';

/** Adds the identifiers of included bindings to the relationship of a project. */
const withBindings = (project: Resource, bindings: readonly Resource[]): Resource => ({
  ...project,
  relationships: {
    ...project.relationships,
    [BINDINGS]: { ...project.relationships?.[BINDINGS], data: bindings.map(({ type, id }) => ({ type, id })) },
  },
});

/** Builds the resources of projects, with the numbers of their workspaces, and includes resources on request (PROJECT-10). */
const presentProjects = (
  { features }: Pick<ProjectDependencies, 'features'>,
  { caller, organization }: CallerInOrganization,
  listIndex: ListIndex,
  projects: readonly Project[],
  include: ReadonlySet<ProjectInclude>,
): { readonly data: readonly Resource[]; readonly included?: readonly Resource[] } => {
  const includesBindings = include.has('effective_tag_bindings');
  const shown = projects.map((project) => {
    const rights = effectiveRights(caller, organization, project);
    const workspaceCount = listIndex.workspacesIn(project.id);
    const resource = projectResource({ project, organization, rights, workspaceCount });
    const bindings = includesBindings ? effectiveProjectBindings(organization, project) : [];
    return { resource: includesBindings ? withBindings(resource, bindings) : resource, bindings };
  });
  const data = shown.map(({ resource }) => resource);
  if (include.size === 0) return { data };
  const included = [
    ...shown.flatMap(({ bindings }) => bindings),
    ...(include.has('organization') && data.length > 0
      ? [organizationResource({ caller, organization, features })]
      : []),
  ];
  return { data, included };
};

/** Builds the document of a project, see `presentProjects`. */
const presentProject = async (
  dependencies: ProjectDependencies,
  access: CallerInOrganization,
  project: Project,
  include: ReadonlySet<ProjectInclude> = new Set(),
): Promise<Document> => {
  const listIndex = await dependencies.store.listIndexes.open(access.organization);
  const { data, ...rest } = presentProjects(dependencies, access, listIndex, [project], include);
  return { data: data[0] as Resource, ...rest };
};

/**
 * Computes the project's own default deletion protection; undefined if the request does not mention it (PROJECT-11). An
 * overwrite of the request decides: false ignores a value in the same request.
 * @throws DomainError 422 for an overwrite without a value.
 */
const protectionChange = (
  {
    overwrites,
    defaultDeletionProtection: requested,
  }: Pick<ProjectRequest, 'overwrites' | 'defaultDeletionProtection'>,
  before: boolean | null | undefined,
): Pick<ProjectChange, 'defaultDeletionProtection'> => {
  const isOwn = overwrites?.['default-deletion-protection'];
  const own = isOwn === false ? null : requested;
  if (isOwn === true && (own === undefined ? (before ?? null) : own) === null) {
    throw invalid(
      'default-deletion-protection',
      'Default deletion protection must be specified for a project to have its own',
    );
  }
  return own === undefined ? {} : { defaultDeletionProtection: own };
};

/** Checks whether the project gets its own defaults: mode and pool are set together (PROJECT-4). */
const readsOwnDefaults = (overwrites: ProjectRequest['overwrites']): boolean | undefined => {
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = overwrites ?? {};
  if (mode !== undefined && pool !== undefined && mode !== pool) {
    throw invalid(
      'setting-overwrites',
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  }
  return mode ?? pool;
};

/**
 * Computes the change that a request makes to a project; an omitted attribute keeps its value. `setting-overwrites`
 * decides: with false the project inherits, and a mode or pool in the same request is ignored (PROJECT-4).
 * @param before the project; a new one inherits its execution mode.
 */
const projectChangeOf = (
  {
    overwrites,
    defaultExecutionMode: mode,
    defaultDeletionProtection: protection,
    ...others
  }: Omit<ProjectRequest, 'name' | 'defaultAgentPool'>,
  pool: RequestedAgentPool,
  before: Pick<Project, 'defaultExecutionMode' | 'defaultDeletionProtection'> = { defaultExecutionMode: null },
): ProjectChange => {
  const own = readsOwnDefaults(overwrites);
  const change = {
    ...others,
    ...protectionChange(
      { ...(overwrites && { overwrites }), ...(protection !== undefined && { defaultDeletionProtection: protection }) },
      before.defaultDeletionProtection,
    ),
  };
  if (own === false) return { ...change, defaultExecutionMode: null };
  if (own === true && (mode === null || (mode ?? before.defaultExecutionMode) === null)) {
    throw invalid('default-execution-mode', 'Default execution mode must be specified for a project to have its own');
  }
  return { ...change, ...defaultAgentPoolChange(pool), ...(mode !== undefined && { defaultExecutionMode: mode }) };
};

/** JSON pointer of the tag bindings in the body that creates or updates a project. */
const BINDINGS_POINTER = '/data/relationships/tag-bindings/data';

/**
 * Reads the tag bindings of a project.
 * @throws DomainError 422 for a tag without a value: only workspaces can have one (TAG-18).
 */
export const projectBindingsOf = (
  elements: Parameters<typeof readBindings>[0],
  pointer: string,
): readonly Binding[] => {
  const bindings = readBindings(elements, pointer);
  const flat = elements.findIndex(({ attributes }) => !attributes.value);
  if (flat < 0) return bindings;
  throw new DomainError('invalid-attribute', "Tag value can't be blank", {
    source: { pointer: `${pointer}/${flat}/attributes/value` },
  });
};

/**
 * Requires admin access to the workspaces of the project if a change of its default lifts their deletion protection
 * (DEL-14).
 * @throws DomainError 404.
 */
const requireMayLift = (
  { caller, organization, record }: RecordAccess<Project>,
  { defaultDeletionProtection }: ProjectChange,
): void => {
  if (defaultDeletionProtection === undefined || !inheritedProtection(organization, record)) return;
  if (inheritedProtection(organization, { defaultDeletionProtection })) return;
  requirePermission({ caller, organization, project: record }, 'workspace.update');
};

/** Filters of the list of projects by what the caller may do with them (PROJECT-2). */
const projectFilters = [
  ['filter[permissions][create-workspace]', 'project.create-workspace'],
  ['filter[permissions][update]', 'project.update'],
] as const satisfies readonly (readonly [parameter: string, action: ProjectAction])[];

export const projectOperations = {
  /** `GET /organizations/:organization_name/projects` */
  'projects.list': async ({ digest, parameters: { organization_name: name }, query, include, url }, dependencies) => {
    const { store } = dependencies;
    const page = readPage(query);
    const { sign } = readSort(query, ['name']) ?? { sign: 1 };
    const text = (query.get('q') ?? '').toLowerCase();
    const names = new Set(readCommaValues(query, 'filter[names]').map((one) => one.toLowerCase()));
    const tags = readTags(query, 'filter[tagged]');
    const required = projectFilters.filter(([parameter]) => readFlags(query, parameter).includes(true));
    const isTagged = ({ bindings }: Pick<Project, 'bindings'>): boolean =>
      tags.every((tag) => bindings.some(({ key, value }) => key === tag.key && [undefined, value].includes(tag.value)));
    const [{ caller, organization }] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      store.listIndexes.refresh(name),
    ]);
    const listIndex = await store.listIndexes.open(organization);
    const isAllowed = (rights: Rights): boolean =>
      canRead(rights) && required.every(([, action]) => mayOnProject(rights, action));
    const choose = () =>
      listIndex
        .projects()
        .filter(
          (row) =>
            isAllowed(effectiveRights(caller, organization, row)) &&
            row.name.toLowerCase().includes(text) &&
            (names.size === 0 || names.has(row.name.toLowerCase())) &&
            isTagged(row),
        )
        .sort((a, b) => sign * (Number(a.name > b.name) - Number(a.name < b.name)) || Number(a.id > b.id) - 1);
    const { total, projects } = await store.projectPages.read(listIndex, choose, rangeOf(page));
    const presented = presentProjects(dependencies, { caller, organization }, listIndex, projects, include);
    return { ...presented, ...paginate(page, total, url, query) };
  },

  /** `GET /projects/:project_id` */
  'projects.show': async ({ digest, parameters, include }, dependencies) => {
    const access = await findProjectAndRefresh(dependencies, digest, parameters.project_id, 'project.read');
    return presentProject(dependencies, access, access.record, include);
  },

  /** `POST /organizations/:organization_name/projects` (PROJECT-3) */
  'projects.create': async (
    { contextFor, digest, parameters: { organization_name: name }, body: { data } },
    { store, directory },
  ) => {
    const { relationships } = data;
    const { name: projectName, defaultAgentPool, ...given } = projectRequest(data.attributes ?? {});
    const requestedPool = readDefaultAgentPool(defaultAgentPool, relationships?.['default-agent-pool']);
    const { caller, organization } = await authorizeOrganization(store, digest, { organization: name }, (access) => {
      requireOrganizationPermission(access, 'project.create');
      requireReferencesPermission(access, {}, given);
    });
    if (projectName === undefined) throw invalid('name', "Name can't be blank");
    const bindings = projectBindingsOf(relationships?.['tag-bindings']?.data ?? [], BINDINGS_POINTER);
    const { record, created } = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        directory.projects.create(contextFor(caller), name, projectName, {
          ...defaultSettings(attributes),
          ...projectChangeOf(given, requestedPool),
          bindings: (before, at) => replaceBindings(before, bindings, at),
        }),
      ),
    );
    if (!created) throw nameTaken();
    const rights = effectiveRights(caller, organization, record);
    return projectDocument({ project: record, organization, rights, workspaceCount: 0 });
  },

  /** `PATCH /projects/:project_id`: an omitted attribute keeps its value; given bindings replace all (PROJECT-6). */
  'projects.update': async ({ contextFor, digest, parameters: { project_id: id }, body: { data } }, dependencies) => {
    const { relationships } = data;
    const { name, defaultAgentPool, ...change } = projectRequest(data.attributes ?? {});
    const given = relationships?.['tag-bindings']?.data ?? undefined;
    const bindings = given && projectBindingsOf(given, BINDINGS_POINTER);
    const requestedPool = readDefaultAgentPool(defaultAgentPool, relationships?.['default-agent-pool']);
    const access = await findProjectAndRefresh(dependencies, digest, id, 'project.update', (found) =>
      requireMayLift(found, projectChangeOf(change, requestedPool, found.record)),
    );
    requireSameId(data.id, id);
    const permitted = requireReferencesPermission(access, access.record, change);
    const { organization } = access.record;
    const { projects } = dependencies.directory;
    const project = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        projects.update(
          contextFor(access.caller),
          organization,
          id,
          {
            ...projectChangeOf(permitted, requestedPool, access.record),
            ...(name !== undefined && { newName: name }),
            ...(bindings && { bindings: (before, at) => replaceBindings(before, bindings, at) }),
          },
          (record, changed) => requireMayLift({ ...access, record }, changed),
        ),
      ),
    );
    return presentProject(dependencies, access, project);
  },

  /** `DELETE /projects/:project_id` (PROJECT-7) */
  'projects.delete': async ({ contextFor, digest, parameters: { project_id: id } }, dependencies) => {
    const { caller, record } = await findProject(dependencies, digest, id, 'project.delete');
    const { removal } = dependencies;
    if (!(await removal.beginRecord(contextFor(caller), 'project', record.organization, id))) throw notFound();
    return undefined;
  },
} satisfies Partial<Operations<'projects', ProjectDependencies>>;
