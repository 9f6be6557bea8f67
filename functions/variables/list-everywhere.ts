import { authenticate } from '../../shared/access/authorize/caller.ts';
import { type Belonging, organizationsOf } from '../../shared/access/caller-organizations.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { decide } from '../../shared/access/workspace-policy.ts';
import { createResponseSizeBudget, mostVariables } from '../../shared/documents/response-size-budget.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { tooLarge } from '../../shared/domain/errors.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { type Page, paginate, rangeOf, readOptionalPage, singlePage } from '../../shared/jsonapi/pagination.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { variableResource } from '../../shared/resources/variables/response.ts';
import type { ListStore } from '../../shared/store/store.ts';
import type { VariableDependencies } from './dependencies.ts';

/** Number of workspaces that are read at once. */
const WORKSPACES = 1_000;
/** Number of workspaces whose variables are queried concurrently. */
const QUERIES = 64;

/**
 * Lists the variables that the caller may read in all organizations (VAR-9), ordered by organization and workspace. The
 * list indexes return the workspaces that may have variables. Their items give the permissions and the number of
 * variables, so variables are queried only for the workspaces on the page.
 */
export const listEverywhere = async (
  { store }: VariableDependencies,
  { digest, query, url }: Pick<OperationRequest<'variables.list'>, 'digest' | 'query' | 'url'>,
): Promise<Document> => {
  const page = readOptionalPage(query);
  const principal = await authenticate(store, digest);
  const belongings = [...(await organizationsOf(store, principal))].sort(byName);
  const candidates = (await Promise.all(belongings.map((belonging) => candidatesOf(store, belonging)))).flat();
  const { workspaces, total } = await filterReadable(store, candidates, page === undefined ? mostVariables : undefined);

  const { takeVariable } = createResponseSizeBudget();
  const lists = await mapWithConcurrency(partsOf(workspaces, page), QUERIES, async ({ workspace, range }) => {
    const variables = await store.variables.list(workspace.id, range, takeVariable);
    return variables.map((variable) => variableResource(variable, workspace, 'deprecated'));
  });
  const data = lists.flat();
  return page === undefined
    ? { data, ...paginate(singlePage(data.length), data.length, url, query) }
    : { data, ...paginate(page, total, url, query) };
};

const byName = (a: Belonging, b: Belonging): number => (a.organization.name < b.organization.name ? -1 : 1);

interface Candidate {
  readonly id: string;
  readonly hasLongText: boolean;
  readonly belonging: Belonging;
}

/** Lists the workspaces that the caller can see and that have, or had, variables. */
const candidatesOf = async (store: ListStore, belonging: Belonging): Promise<readonly Candidate[]> => {
  const { caller, organization } = belonging;
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  const all = { from: 0, to: Number.POSITIVE_INFINITY };
  return listIndex
    .select({ reading, order: 'name', direction: 'ascending', ...all })
    .rows.filter(({ hasVariables }) => hasVariables)
    .map(({ id, hasLongText }) => ({ id, hasLongText, belonging }));
};

/**
 * Filters the candidates whose variables the caller may read, and counts those variables.
 * @throws DomainError 422 when there are more than `most`.
 */
const filterReadable = async (store: ListStore, candidates: readonly Candidate[], most = Number.POSITIVE_INFINITY) => {
  const projects = new Map<string, Promise<Project | undefined>>();
  const projectOf = ({ project: id }: Workspace): Promise<Project | undefined> => {
    const project = projects.get(id) ?? store.projects.find(id, true);
    projects.set(id, project);
    return project;
  };
  const workspaces: Workspace[] = [];
  let total = 0;
  for (const some of chunks(candidates, WORKSPACES)) {
    const found = new Map((await store.workspaces.findAll(some, true)).map((workspace) => [workspace.id, workspace]));
    const contexts = some.map(async ({ id, belonging }) => {
      const workspace = found.get(id);
      if (!isAlive(workspace) || !workspace.variableCount) return [];
      return [{ ...belonging, workspace, project: await projectOf(workspace) }];
    });
    for (const context of (await Promise.all(contexts)).flat()) {
      if (decide(context, 'variable.read').kind !== 'allow') continue;
      workspaces.push(context.workspace);
      total += context.workspace.variableCount ?? 0;
    }
    if (total > most) throw tooLarge();
  }
  return { workspaces, total };
};

interface Part {
  readonly workspace: Workspace;
  /** Positions of its variables on the page; absent for all. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** Computes the range of each workspace's variables that is on a page. */
const partsOf = (workspaces: readonly Workspace[], page: Page | undefined): readonly Part[] => {
  if (page === undefined) return workspaces.map((workspace) => ({ workspace }));
  const { from, to } = rangeOf(page);
  let position = 0;
  return workspaces.flatMap((workspace) => {
    const [first, count] = [position, workspace.variableCount ?? 0];
    position += count;
    if (position <= from || first >= to) return [];
    return [{ workspace, range: { from: Math.max(0, from - first), to: Math.min(count, to - first) } }];
  });
};

const chunks = function* <T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
};
