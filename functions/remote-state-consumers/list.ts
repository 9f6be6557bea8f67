import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { presentPage } from '../../shared/documents/workspace-documents.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { stateReaders, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { valueTest } from '../../shared/list-index/row-tests.ts';
import type { Selection } from '../../shared/list-index/selection.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

const CONFIGURED = 'show_only_configured';

/** Reads whether to list only configured consumers while other workspaces are consumers (CONS-1). */
const readConfiguredOnly = (query: URLSearchParams): boolean => {
  const value = query.get(CONFIGURED) || 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new DomainError('bad-request', `${CONFIGURED} must be true or false`, { source: { parameter: CONFIGURED } });
};

/** Selects the consumers that a list shows: the configured ones, or those of the project or organization (CONS-1). */
const selectConsumers = async (
  store: ListDependencies['store'],
  workspace: Workspace,
  isConfiguredOnly: boolean,
): Promise<Pick<Selection, 'among' | 'except' | 'filter'>> => {
  const readers = isConfiguredOnly ? 'consumers' : stateReaders(workspace.settings);
  if (readers === 'consumers') return { among: await store.consumers.find(workspace) };
  if (readers === 'organization') return { except: workspace.id };
  const isInProject = (project: string): boolean => project === workspace.project;
  return {
    except: workspace.id,
    filter: { key: workspace.project, tests: ({ rows }) => [valueTest(rows, 'project', isInProject)] },
  };
};

/**
 * `GET /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-1, CONS-2): a page of the consumers that
 * the caller may read.
 */
export const listConsumers =
  (dependencies: ListDependencies): Operation<'remote-state-consumers.list'> =>
  async ({ digest, parameters: { workspace_id: id }, query, include, url }) => {
    const { store } = dependencies;
    const [page, isConfiguredOnly] = [readPage(query), readConfiguredOnly(query)];

    const {
      caller,
      organization,
      results: which = { among: [] },
    } = await authorizeWorkspace(store, digest, { id }, 'workspace.read-settings', async (_, workspace) => {
      const [consumers] = await Promise.all([
        workspace && selectConsumers(store, workspace, isConfiguredOnly),
        workspace && store.listIndexes.refresh(workspace.organization),
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
  };
