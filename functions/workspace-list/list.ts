import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { presentPage } from '../../shared/documents/workspace-documents.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { readFilter } from '../../shared/list-index/filters.ts';
import { readOrder } from '../../shared/list-index/query-values.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

/** `GET /organizations/:organization_name/workspaces` (LIST-1): a page of the workspaces that the caller may read. */
export const listWorkspaces: Operation<'workspaces.list', ListDependencies> = async (
  { digest, parameters, query, include, url },
  dependencies,
) => {
  const { store } = dependencies;
  const [page, order, filter] = [readPage(query), readOrder(query), readFilter(query)];
  const { organization_name: name } = parameters;
  const [{ caller, organization }, , releases] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
    filter.needsReleases ? store.releases.find() : [],
  ]);
  const { defaultExecutionMode, defaultDeletionProtection = false } = organization;
  const context = { organization: { defaultExecutionMode, defaultDeletionProtection }, releases };
  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization);
  const { count, runStatuses, workspaces } = await store.workspacePages.read(
    listIndex,
    () => listIndex.select({ reading, filter, context, ...order, ...rangeOf(page) }),
    !reading.everything,
  );
  const shown = await presentPage(dependencies, listIndex, { caller, organization }, workspaces, { include, url });
  const { links, meta } = paginate(page, count, url, query);
  return {
    ...shown,
    links,
    meta: { ...meta, 'status-counts': { ...Object.fromEntries(runStatuses), total: count } },
  };
};
