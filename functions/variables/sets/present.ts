import { readingOf } from '../../../shared/access/readable-workspaces.ts';
import { canRead, effectiveRights } from '../../../shared/access/rights.ts';
import { createResponseSizeBudget } from '../../../shared/documents/response-size-budget.ts';
import { presentPage } from '../../../shared/documents/workspace-documents.ts';
import type { Caller, Organization, Project } from '../../../shared/domain/directory/records.ts';
import { tooLarge } from '../../../shared/domain/errors.ts';
import type { VariableSet } from '../../../shared/domain/variable-sets/variable-set.ts';
import type { Resource } from '../../../shared/jsonapi/document.ts';
import type { ListIndex } from '../../../shared/list-index/list-index.ts';
import type { Reading } from '../../../shared/list-index/selection.ts';
import { projectResource } from '../../../shared/resources/projects/response.ts';
import { variableSetResource } from '../../../shared/resources/variable-sets/response.ts';
import { setVariableResource } from '../../../shared/resources/variables/response.ts';
import type { VariableDependencies } from '../variables.ts';

/** A caller, and the projects that own variable sets which the caller may read. */
interface Viewer {
  readonly caller: Caller;
  readonly organization: Organization;
  readonly owners: readonly (Project | undefined)[];
}

/** Names in the `include` parameter of requests for variable sets (VARSET-3). */
type VariableSetInclude = 'workspaces' | 'projects' | 'vars';

interface IncludeRequest {
  readonly include: ReadonlySet<VariableSetInclude>;
  readonly url: string;
}

const NOTHING: IncludeRequest = { include: new Set(), url: '' };
const ALL = { from: 0, to: Number.POSITIVE_INFINITY };
/** Maximum number of workspaces that one response includes. */
const INCLUDED_WORKSPACES = 500;

/** Maximum number of projects that are read one by one, if no list index is needed for workspaces. */
const PROJECTS_WITHOUT_INDEX = 20;

const projectReference = (id: string) => ({ kind: 'project', id }) as const;

const unique = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];

/** Selects the rows of the workspaces with these ids that a caller may read, by name. */
export const selectReadable = (listIndex: ListIndex, reading: Reading, among: readonly string[]) =>
  listIndex.select({ reading, among, order: 'name', direction: 'ascending', ...ALL });

/**
 * Restricts the assignments of variable sets to the existing workspaces and projects that the caller may read. A global
 * variable set shows none (VARSET-5).
 */
const restrictToReadable = async (
  { store }: VariableDependencies,
  viewer: Viewer,
  sets: readonly VariableSet[],
): Promise<{ readonly shown: readonly VariableSet[]; readonly listIndex: ListIndex | undefined }> => {
  const { caller, organization } = viewer;
  const assigned = sets.filter(({ global }) => !global);
  const workspaces = unique(assigned.map((set) => set.workspaces));
  const projects = unique(assigned.map((set) => set.projects));
  const isIndexed = workspaces.length > 0 || projects.length > PROJECTS_WITHOUT_INDEX;
  const [listIndex, find] = await Promise.all([
    isIndexed ? store.listIndexes.open(organization) : undefined,
    isIndexed || projects.length === 0 ? undefined : store.records.find(projects.map(projectReference), true),
  ]);
  const readable = new Set<string>();
  if (listIndex !== undefined) {
    await store.workspacePages.acquaint(listIndex, organization.name, workspaces);
    for (const { id } of selectReadable(listIndex, readingOf(caller, organization), workspaces).rows) readable.add(id);
  }
  for (const id of projects) {
    const row = listIndex?.project(id);
    const project = row?.isDeleted === false ? row : find ? find('project', id) : await store.projects.find(id, true);
    if (project && canRead(effectiveRights(caller, organization, project))) readable.add(id);
  }
  const isShown = (id: string): boolean => readable.has(id);
  const shown = sets.map((set) =>
    set.global
      ? { ...set, workspaces: [], projects: [] }
      : { ...set, workspaces: set.workspaces.filter(isShown), projects: set.projects.filter(isShown) },
  );
  return { shown, listIndex };
};

/**
 * Builds the resources of variable sets, with those that a request includes.
 * @throws DomainError 422 if the response would be too large.
 */
export const presentVariableSets = async (
  dependencies: VariableDependencies,
  viewer: Viewer,
  sets: readonly VariableSet[],
  { include, url }: IncludeRequest = NOTHING,
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const { store } = dependencies;
  const { caller, organization } = viewer;
  const { shown, listIndex } = await restrictToReadable(dependencies, viewer, sets);
  const owners = new Map(viewer.owners.map((project) => [project?.id, project]));
  const data = shown.map((variableSet) =>
    variableSetResource({ variableSet, caller, organization, project: owners.get(variableSet.project) }),
  );
  if (include.size === 0) return { data };

  const included: Resource[] = [];
  const workspaces = unique(shown.map((set) => set.workspaces));
  if (include.has('workspaces') && listIndex !== undefined) {
    if (workspaces.length > INCLUDED_WORKSPACES) throw tooLarge();
    const reading = readingOf(caller, organization);
    const found = await store.workspacePages.read(
      listIndex,
      () => selectReadable(listIndex, reading, workspaces),
      !reading.everything,
    );
    const page = await presentPage(dependencies, listIndex, viewer, found.workspaces, { include: new Set(), url });
    included.push(...page.data);
  }
  if (include.has('projects')) {
    const projects = unique(shown.map((set) => set.projects));
    const find = await store.records.find(projects.map(projectReference));
    for (const id of projects) {
      const project = find('project', id);
      if (project === undefined) continue;
      included.push(projectResource({ project, organization, rights: effectiveRights(caller, organization, project) }));
    }
  }
  if (include.has('vars')) {
    const { takeVariable } = createResponseSizeBudget();
    for (const { id, variables } of shown) {
      const listed = variables.length === 0 ? [] : await store.variables.list(id, undefined, takeVariable);
      included.push(...listed.map((variable) => setVariableResource(variable, id)));
    }
  }
  return { data, included };
};

/** Builds the document of one variable set. */
export const presentVariableSet = async (
  dependencies: VariableDependencies,
  viewer: Viewer,
  variableSet: VariableSet,
  requested?: IncludeRequest,
) => {
  const { data, ...rest } = await presentVariableSets(dependencies, viewer, [variableSet], requested);
  return { data: data[0] as Resource, ...rest };
};
