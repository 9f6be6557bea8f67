import { authorizeWorkspace, type Reader } from '../../shared/access/authorize.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { presentPage } from '../../shared/documents/workspace-documents.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import type { Services } from '../../shared/runtime/services.ts';

const CONFIGURED = 'show_only_configured';

/** Whether to show the configured ones where all are in force; some clients ask (CONS-1). */
const readConfiguredOnly = (query: URLSearchParams): boolean => {
  const value = query.get(CONFIGURED) || 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new DomainError('bad-request', `${CONFIGURED} must be true or false`, { source: { parameter: CONFIGURED } });
};

/**
 * `GET /workspaces/:workspace_id/relationships/remote-state-consumers` (CONS-1, CONS-2): those that the caller may
 * read, page by page.
 */
export const listConsumers =
  (services: Services): Operation<'remote-state-consumers.list'> =>
  async ({ digest, parameters: { workspace_id: id }, query, include, url }) => {
    const { store } = services;
    const [page, isConfiguredOnly] = [readPage(query), readConfiguredOnly(query)];

    // What lists them is read as soon as the workspace is known, beside what says who asks.
    let configured: Promise<readonly string[] | undefined> = Promise.resolve(undefined);
    let refreshed: Promise<void> = Promise.resolve();
    const begin = (workspace: Workspace): void => {
      const isGlobal = workspace.settings.globalRemoteState && !isConfiguredOnly;
      configured = startEarly(isGlobal ? Promise.resolve(undefined) : store.findConsumers(workspace));
      refreshed = startEarly(store.listIndexes.refresh(workspace.organization));
    };
    const reader: Reader = {
      ...store,
      find: async (wanted) => {
        const workspace = await store.find(wanted);
        if (workspace !== undefined) begin(workspace);
        return workspace;
      },
    };

    const { caller, organization } = await authorizeWorkspace(reader, digest, { id }, 'workspace.read-settings');
    const [among] = await Promise.all([configured, refreshed]);
    const listIndex = await store.listIndexes.open(organization);
    if (among !== undefined) await store.acquaint(listIndex, organization.name, among);
    const which = among === undefined ? { except: id } : { among };
    const reading = readingOf(caller, organization);
    const { count, workspaces } = await store.readPage(
      listIndex,
      () => listIndex.select({ reading, ...which, order: 'name', direction: 'ascending', ...rangeOf(page) }),
      !reading.everything,
    );
    const shown = await presentPage(services, listIndex, { caller, organization }, workspaces, { include, url });
    return { ...shown, ...paginate(page, count, url, query) };
  };
