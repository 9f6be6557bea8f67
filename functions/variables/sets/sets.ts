import { NOWHERE } from '../../../shared/access/authorize/confirm-rejection.ts';
import { authorizeOrganization } from '../../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../../shared/access/authorize/record.ts';
import { authorizeWorkspace } from '../../../shared/access/authorize/workspace.ts';
import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { requireProjectPermission } from '../../../shared/access/project-policy.ts';
import { atLeast, effectiveRights } from '../../../shared/access/rights.ts';
import { mayOnVariableSet, requireVariableSetPermission } from '../../../shared/access/variable-set-policy.ts';
import { entityTag } from '../../../shared/domain/changes/entity-tags.ts';
import type { Caller, Organization, Project } from '../../../shared/domain/directory/records.ts';
import { DomainError, invalid, invalidRelationship, notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import { noParent } from '../../../shared/domain/variable-sets/transitions/settings.ts';
import {
  type AssignmentTarget,
  assignedWhileGlobal,
  checkOwner,
  type VariableSet,
} from '../../../shared/domain/variable-sets/variable-set.ts';
import type { BodyOf, OperationRequest, Operations } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { paginate, readPage, slice } from '../../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../../shared/jsonapi/require-same-id.ts';
import { newId } from '../../../shared/lib/random.ts';
import { readFlags, readOneOf } from '../../../shared/list-index/query-values.ts';
import { variableSetRequest } from '../../../shared/resources/variable-sets/attributes.ts';
import type { VariableSetRow } from '../../../shared/store/variable-sets/variable-set-changes.ts';
import type { VariableDependencies } from '../variables.ts';
import { replaceAssignments, requireAssignable } from './assign.ts';
import { findVariableSet } from './find.ts';
import { presentVariableSet, presentVariableSets } from './present.ts';

type ListRequest = Pick<OperationRequest<'varsets.list'>, 'query' | 'include' | 'url'>;

export interface Viewer {
  readonly caller: Caller;
  readonly organization: Organization;
}

/** The rows that a caller may read, and the projects that own some of them. */
interface Readable {
  readonly rows: readonly VariableSetRow[];
  readonly owners: readonly Project[];
}

/** Returns the elements whose name contains the parameter `q`, ignoring case, sorted by name. */
const search = <T extends { readonly name: string }>(all: readonly T[], query: URLSearchParams): readonly T[] => {
  const text = (query.get('q') ?? '').toLowerCase();
  return all
    .filter(({ name }) => name.toLowerCase().includes(text))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

/** Reads whether a list contains only what the organization or project itself owns. @throws DomainError 400. */
const readScope = (query: URLSearchParams): boolean => readOneOf(query, 'scope', ['owned']).length > 0;

/** Builds the page of a list whose variable sets are known. */
const presentList = async (
  dependencies: VariableDependencies,
  viewer: Viewer & { readonly owners: readonly Project[] },
  all: readonly VariableSet[],
  { query, include, url }: ListRequest,
): Promise<Document> => {
  const page = readPage(query);
  const sets = search(all, query);
  const shown = await presentVariableSets(dependencies, viewer, slice(sets, page), { include, url });
  return { ...shown, ...paginate(page, sets.length, url, query) };
};

/** Returns the rows that the caller may read. The projects of rows with an owner are read once each. */
export const readableRows = async (
  { store }: VariableDependencies,
  { caller, organization }: Viewer,
  rows: readonly VariableSetRow[],
): Promise<Readable> => {
  const ids = [...new Set(rows.flatMap(({ project }) => project ?? []))];
  const find = ids.length === 0 ? undefined : await store.records.find(ids.map((id) => ({ kind: 'project', id })));
  const readable = rows.filter(({ project: id }) => {
    const project = id === undefined ? undefined : find?.('project', id);
    if (id !== undefined && project === undefined) return false;
    return mayOnVariableSet({ caller, organization, project }, 'variable-set.read');
  });
  return { rows: readable, owners: ids.flatMap((id) => find?.('project', id) ?? []) };
};

type Relationships = NonNullable<BodyOf<'varsets.create'>['data']['relationships']>;

const pointerTo = (relationship: string): string => `/data/relationships/${relationship}`;
const targets: readonly AssignmentTarget[] = ['workspaces', 'projects'];

/** Returns the assignments that a body sets. A relationship that is absent or null keeps the assignments. */
const readAssignments = (relationships: Relationships | null | undefined) =>
  targets.flatMap((target) => {
    const data = relationships?.[target]?.data;
    return data ? [{ target, ids: data.map(({ id }) => id) }] : [];
  });

/** @throws DomainError 422 for variables in a body: they have requests of their own (VARSET-8). */
const requireNoVariables = (relationships: Relationships | null | undefined): void => {
  const data = relationships?.vars?.data;
  if (data === undefined || data === null || (Array.isArray(data) && data.length === 0)) return;
  throw invalidRelationship('vars', 'Create variables with POST /varsets/:varset_id/relationships/vars');
};

type Assignments = ReturnType<typeof readAssignments>;

/** Checks assignments before anything is written. @throws DomainError 422. */
const checkAssignments = async (
  dependencies: VariableDependencies,
  variableSet: Pick<VariableSet, 'organization' | 'project' | 'global'>,
  assignments: Assignments,
): Promise<void> => {
  for (const { target, ids } of assignments) {
    if (ids.length > 0 && variableSet.global) throw assignedWhileGlobal({ pointer: pointerTo(target) });
    await requireAssignable(dependencies, variableSet, target, ids, `${pointerTo(target)}/data`);
  }
};

/** @throws DomainError 422 if the body names another owner: the owner of a variable set never changes (VARSET-4). */
const requireSameParent = (
  { organization, project }: VariableSet,
  relationships: Relationships | null | undefined,
): void => {
  const parent = relationships?.parent?.data;
  if (!parent) return;
  const is = project === undefined ? { type: 'organizations', id: organization } : { type: 'projects', id: project };
  if (parent.type === is.type && parent.id === is.id) return;
  throw new DomainError('invalid-attribute', 'Parent cannot be changed', { source: { pointer: pointerTo('parent') } });
};

export const variableSetOperations = {
  /** `GET /organizations/:organization_name/varsets` (VARSET-3). */
  'varsets.list': async ({ digest, parameters: { organization_name: name }, query, include, url }, dependencies) => {
    const page = readPage(query);
    const isOwned = readScope(query);
    const [isGlobal] = readFlags(query, 'filter[global]');
    const { store, variableSets } = dependencies;
    const viewer = await authorizeOrganization(store, digest, { organization: name });
    const { owners, ...readable } = await readableRows(dependencies, viewer, await variableSets.listRows(name));
    const rows = search(readable.rows, query).filter(({ project }) => !isOwned || project === undefined);
    const ids = rows.map(({ id }) => id);
    // Rows do not tell whether a variable set is global, so all of them are read for this filter.
    const all = isGlobal === undefined ? undefined : await variableSets.findAll(ids);
    const selected = all?.filter(({ global }) => global === isGlobal);
    const sets = selected ? slice(selected, page) : await variableSets.findAll(slice(ids, page));
    const shown = await presentVariableSets(dependencies, { ...viewer, owners }, sets, { include, url });
    return { ...shown, ...paginate(page, (selected ?? rows).length, url, query) };
  },

  /** `GET /workspaces/:workspace_id/varsets` (VARSET-6). */
  'workspace-varsets.list': async ({ digest, parameters: { workspace_id: id }, ...request }, dependencies) => {
    const { store, variableSets } = dependencies;
    const access = await authorizeWorkspace(store, digest, { id }, 'variable.read', (_, workspace) =>
      variableSets.findApplicable(workspace),
    );
    return presentList(dependencies, { ...access, owners: [access.project] }, access.results, request);
  },

  /** `GET /workspaces/:workspace_id/applicable-varsets` (VARSET-13). */
  'applicable-varsets.list': async (
    { digest, parameters: { workspace_id: id }, query, include, url },
    dependencies,
  ) => {
    const page = readPage(query);
    const { store, variableSets } = dependencies;
    const { results, ...access } = await authorizeWorkspace(store, digest, { id }, 'variable.read', (ids, workspace) =>
      Promise.all([variableSets.listRows(ids.organization), variableSets.findApplicable(workspace)]),
    );
    const [all, applied] = results;
    const appliedIds = new Set(applied.map((variableSet) => variableSet.id));
    const others = all.filter(
      (row) => !appliedIds.has(row.id) && (row.project === undefined || row.project === access.project.id),
    );
    const { owners, rows } = await readableRows(dependencies, access, others);
    const found = search(rows, query);
    const sets = await variableSets.findAll(slice(found, page).map((row) => row.id));
    const shown = await presentVariableSets(dependencies, { ...access, owners }, sets, { include, url });
    return { ...shown, ...paginate(page, found.length, url, query) };
  },

  /** `GET /projects/:project_id/varsets` (VARSET-6). */
  'project-varsets.list': async ({ digest, parameters: { project_id: id }, ...request }, dependencies) => {
    const { store, variableSets } = dependencies;
    const isOwned = readScope(request.query);
    const access = await authorizeRecord(
      store,
      digest,
      async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
      ({ caller, organization, record }) => {
        const rights = effectiveRights(caller, organization, record);
        requireProjectPermission(rights, 'project.read');
        if (!atLeast(rights, 'variables', 'read')) throw notFound('This needs permission to read variables.');
      },
      async (organization) => {
        const project = isId('project', id) ? id : NOWHERE.project;
        const ids = await variableSets.findIdsFor(organization, { project });
        const sets = await variableSets.findAll(ids);
        return sets.filter(
          (set) => set.project === project || (!isOwned && (set.global || set.projects.includes(project))),
        );
      },
    );
    return presentList(dependencies, { ...access, owners: [access.record] }, access.results, request);
  },

  /** `GET /varsets/:varset_id` (VARSET-1). */
  'varsets.show': async ({ digest, parameters, include, url }, dependencies) => {
    const access = await findVariableSet(dependencies, digest, parameters.varset_id, 'variable-set.read');
    return presentVariableSet(dependencies, access, access.record, { include, url });
  },

  /** `POST /organizations/:organization_name/varsets` (VARSET-2). */
  'varsets.create': async (
    { contextFor, digest, parameters: { organization_name: name }, body: { data } },
    dependencies,
  ) => {
    const { relationships } = data;
    const given = variableSetRequest(data.attributes ?? {});
    const parent = relationships?.parent?.data ?? undefined;
    const projectId = parent?.type === 'projects' ? parent.id : undefined;
    const target = { organization: name, ...(projectId !== undefined && { project: projectId }) };
    const access = await authorizeOrganization(dependencies.store, digest, target, (context) => {
      const isVisible = context.project !== undefined && mayOnVariableSet(context, 'variable-set.read');
      if (projectId !== undefined && !isVisible) throw noParent();
      requireVariableSetPermission(context, 'variable-set.manage');
    });
    const { caller, organization } = access;
    if (parent?.type === 'organizations' && parent.id !== organization.name) throw noParent();
    if (given.name === undefined) throw invalid('name', "Name can't be blank");
    requireNoVariables(relationships);

    const request = contextFor(caller);
    const draft = {
      id: newId('variableSet', request),
      organization: organization.name,
      project: projectId,
      name: given.name,
      description: given.description ?? '',
      global: given.global ?? false,
      priority: given.priority ?? false,
    };
    checkOwner(draft);
    const assignments = readAssignments(relationships);
    await checkAssignments(dependencies, draft, assignments);
    let variableSet = await concealNotFound(dependencies.variableSets.create(request, draft));
    for (const { target: one, ids } of assignments) {
      if (ids.length > 0) variableSet = await replaceAssignments(dependencies, draft.id, request, one, ids);
    }
    return presentVariableSet(dependencies, { ...access, owners: [access.project] }, variableSet);
  },

  /** `PATCH /varsets/:varset_id` (VARSET-4): an omitted attribute keeps its value; given relationships replace. */
  'varsets.update': async ({ contextFor, digest, parameters: { varset_id: id }, body: { data } }, dependencies) => {
    const { relationships } = data;
    const given = variableSetRequest(data.attributes ?? {});
    const access = await findVariableSet(dependencies, digest, id, 'variable-set.manage');
    const { caller, record } = access;
    requireSameId(data.id, id);
    requireNoVariables(relationships);
    requireSameParent(record, relationships);
    checkOwner({ ...record, ...given });
    const assignments = readAssignments(relationships);
    await checkAssignments(dependencies, { ...record, ...given }, assignments);
    const request = contextFor(caller);
    let variableSet = await concealNotFound(dependencies.variableSets.update(id, request, given));
    const { precondition, ...unconditional } = request;
    for (const { target, ids } of assignments) {
      // The first step that writes decides about the precondition. It gives the variable set another revision.
      const isFirst = precondition === '*' || precondition?.includes(entityTag(variableSet));
      const step = isFirst ? request : unconditional;
      variableSet = await concealNotFound(replaceAssignments(dependencies, id, step, target, ids));
    }
    return presentVariableSet(dependencies, access, variableSet);
  },

  /** `DELETE /varsets/:varset_id` (VARSET-7). */
  'varsets.delete': async ({ contextFor, digest, parameters: { varset_id: id } }, dependencies) => {
    const { caller } = await findVariableSet(dependencies, digest, id, 'variable-set.manage');
    await concealNotFound(dependencies.variableSets.remove(id, contextFor(caller)));
    return undefined;
  },
} satisfies Partial<Operations<'variables', VariableDependencies>>;
