import { NOWHERE } from '../../shared/access/authorize/confirm-rejection.ts';
import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { requirePermission, type WorkspaceAction } from '../../shared/access/workspace-policy.ts';
import { presentPage } from '../../shared/documents/workspace-documents.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { isAlive, stateReaders, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import { valueTest } from '../../shared/list-index/row-tests.ts';
import type { Selection } from '../../shared/list-index/selection.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { Found } from '../../shared/store/directory/directory-reader.ts';

type Store = ListDependencies['store'];

/**
 * Creates the error of a workspace that cannot be a consumer. To reveal nothing, the error does not depend on the cause: the
 * workspace does not exist, is not readable, is in another organization, or is the workspace itself.
 */
const unusable = (index: number): DomainError =>
  new DomainError(
    'unprocessable',
    'A remote state consumer must be another workspace of the organization, and one that you can read',
    { source: { pointer: `/data/${index}/id` } },
  );

/** Up to this number, workspaces are read in one call in parallel with the token. Longer lists use the list index. */
const FEW = 100;

interface LookedUp {
  readonly workspaces: ReadonlyMap<string, Workspace>;
  readonly projects: Found;
}

/** Reads workspaces by id, and their projects; of one that does not exist, a project that does not exist (PERM-21). */
const lookUp = async (store: Store, ids: readonly string[], consistent: boolean): Promise<LookedUp> => {
  const rows = ids.filter((id) => isId('workspace', id)).map((id) => ({ id, hasLongText: false }));
  const found = (await store.workspaces.findAll(rows, consistent)).filter(isAlive);
  const workspaces = new Map(found.map((workspace) => [workspace.id, workspace]));
  const projects = await store.records.find(
    rows.map(({ id }) => ({ kind: 'project', id: workspaces.get(id)?.project ?? NOWHERE.project })),
    consistent,
  );
  return { workspaces, projects };
};

const isUsable = (
  id: string,
  { workspaces, projects }: LookedUp,
  { caller, organization, workspace: subject }: WorkspaceAccess,
): boolean => {
  const workspace = workspaces.get(id);
  if (workspace?.organization !== organization.name || id === subject.id) return false;
  return canRead(effectiveRights(caller, organization, projects('project', workspace.project), workspace));
};

/** Returns the ids that are not usable according to the list index, which usually lags by milliseconds. */
const unlisted = async (
  store: Store,
  ids: readonly string[],
  { caller, organization, workspace: subject }: WorkspaceAccess,
): Promise<readonly string[]> => {
  const listIndex = await store.listIndexes.open(organization);
  return ids.filter((id) => {
    const row = listIndex.row(id);
    if (row === undefined || id === subject.id) return true;
    return !canRead(effectiveRights(caller, organization, listIndex.project(row.project), row));
  });
};

/** Finds the first unusable id. Ids are read in parts, so a list of invalid ids costs only one part. */
const firstUnusable = async (
  store: Store,
  doubted: readonly string[],
  access: WorkspaceAccess,
): Promise<string | undefined> => {
  for (let start = 0; start < doubted.length; start += FEW) {
    const part = doubted.slice(start, start + FEW);
    const found = await lookUp(store, part, true);
    const first = part.find((id) => !isUsable(id, found, access));
    if (first !== undefined) return first;
  }
  return undefined;
};

/**
 * Starts to read the listed workspaces, before the caller is authorized.
 * @returns a function that throws a 422 if a workspace may not be a consumer. The error points at the first such workspace;
 * ids that `acceptedOf` returns are accepted in any case.
 */
const consumable = (store: Store, listed: readonly string[]) => {
  const ids = [...new Set(listed)];
  const begun = ids.length > FEW ? undefined : startEarly(lookUp(store, ids, false));

  const doubtedOf = async (access: WorkspaceAccess, consistent: boolean): Promise<readonly string[]> => {
    if (begun === undefined) return unlisted(store, ids, access);
    const found = consistent ? await lookUp(store, ids, true) : await begun;
    return ids.filter((id) => !isUsable(id, found, access));
  };

  return async (
    access: WorkspaceAccess,
    consistent: boolean,
    acceptedOf?: () => Promise<readonly string[]>,
  ): Promise<void> => {
    const doubted = await doubtedOf(access, consistent);
    if (doubted.length === 0) return;
    const accepted = new Set(await acceptedOf?.());
    const rejected = doubted.filter((id) => !accepted.has(id));
    const first = begun === undefined ? await firstUnusable(store, rejected, access) : rejected[0];
    if (first !== undefined) throw unusable(listed.indexOf(first));
  };
};

const CONFIGURED = 'show_only_configured';

/** Reads whether to list only configured consumers while other workspaces are consumers (CONS-1). */
const readConfiguredOnly = (query: URLSearchParams): boolean => {
  const value = query.get(CONFIGURED) || 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new DomainError('bad-request', `${CONFIGURED} must be true or false`, { source: { parameter: CONFIGURED } });
};

/**
 * Selects the consumers that a list shows: the configured ones, or the workspaces of the project or organization (CONS-1).
 * Its reads are the same in each case, and without a workspace (PERM-21).
 */
const selectConsumers = async (
  store: ListDependencies['store'],
  workspace: Workspace | undefined,
  isConfiguredOnly: boolean,
): Promise<Pick<Selection, 'among' | 'except' | 'filter'>> => {
  const readers = isConfiguredOnly || workspace === undefined ? 'consumers' : stateReaders(workspace.settings);
  const among = await store.consumers.find(readers === 'consumers' ? workspace : undefined);
  if (readers === 'consumers' || workspace === undefined) return { among };
  if (readers === 'organization') return { except: workspace.id };
  const isInProject = (project: string): boolean => project === workspace.project;
  return {
    except: workspace.id,
    filter: { key: workspace.project, tests: ({ rows }) => [valueTest(rows, 'project', isInProject)] },
  };
};

type ChangeRoute = `remote-state-consumers.${'add' | 'replace' | 'remove'}`;

interface Change {
  readonly action: WorkspaceAction;
  readonly write: keyof Pick<ListDependencies['store']['consumers'], 'add' | 'replace' | 'remove'>;
  /** Returns ids that are accepted even if the workspace could not become a consumer. */
  readonly acceptedOf?: (store: Store, workspace: Workspace) => Promise<readonly string[]>;
}

const changeConsumers =
  ({ action, write, acceptedOf }: Change) =>
  async (
    { contextFor, digest, parameters, body }: OperationRequest<ChangeRoute>,
    { store }: ListDependencies,
  ): Promise<undefined> => {
    const listed = body.data.map((consumer) => consumer.id);
    const requireConsumable = consumable(store, listed);
    const target = { id: parameters.workspace_id };
    const { workspace, caller } = await authorizeWorkspace(store, digest, target, async (access, consistent) => {
      requirePermission(access, action);
      // If the consumers do not come from the set, the store rejects the change whatever the list contains.
      if (stateReaders(access.workspace.settings) !== 'consumers') return;
      await requireConsumable(access, consistent, acceptedOf && (() => acceptedOf(store, access.workspace)));
    });
    await store.consumers[write](workspace, [...new Set(listed)], contextFor(caller));
  };

export const consumerOperations = {
  /**
   * `GET /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-1, CONS-2): a page of the consumers that
   * the caller may read.
   */
  'remote-state-consumers.list': async (
    { digest, parameters: { workspace_id: id }, query, include, url },
    dependencies,
  ) => {
    const { store } = dependencies;
    const [page, isConfiguredOnly] = [readPage(query), readConfiguredOnly(query)];

    const {
      caller,
      organization,
      results: which,
    } = await authorizeWorkspace(store, digest, { id }, 'workspace.read-settings', async (ids, workspace) => {
      const [consumers] = await Promise.all([
        selectConsumers(store, workspace, isConfiguredOnly),
        store.listIndexes.refresh(ids.organization),
      ]);
      return consumers;
    });
    const listIndex = await store.listIndexes.open(organization);
    if (which.among !== undefined) await store.workspacePages.acquaint(listIndex, organization.name, which.among);
    const reading = readingOf(caller, organization);
    const { count, workspaces } = await store.workspacePages.read(
      listIndex,
      () => listIndex.select({ reading, ...which, order: 'name', direction: 'ascending', ...rangeOf(page) }),
      !reading.everything,
    );
    const shown = await presentPage(dependencies, listIndex, { caller, organization }, workspaces, { include, url });
    return { ...shown, ...paginate(page, count, url, query) };
  },

  /** `POST /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-3). */
  'remote-state-consumers.add': changeConsumers({ action: 'consumers.manage', write: 'add' }),

  /** `PATCH …`: replaces the consumers; requires managing the workspaces of the whole organization (CONS-7). */
  'remote-state-consumers.replace': changeConsumers({ action: 'consumers.replace', write: 'replace' }),

  /** `DELETE …`: also removes consumers that are deleted, or that the caller cannot read. */
  'remote-state-consumers.remove': changeConsumers({
    action: 'consumers.manage',
    write: 'remove',
    acceptedOf: (store, workspace) => store.consumers.find(workspace),
  }),
} satisfies Operations<'remote-state-consumers', ListDependencies>;
