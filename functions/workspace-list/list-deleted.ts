import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { restorableWorkspaces } from '../../shared/access/restorable-workspaces.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import { type Page, paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { now } from '../../shared/lib/clock.ts';
import { badParameter, readOneOf } from '../../shared/list-index/query-values.ts';
import type { RestorableRow } from '../../shared/list-index/row.ts';
import { deletedWorkspaceResource } from '../../shared/resources/deleted-workspaces/response.ts';
import { recoverableTypes } from '../../shared/resources/recoverable-items/attributes.ts';
import { recoverableItemResource } from '../../shared/resources/recoverable-items/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

type ListRequest = OperationRequest<'deleted-workspaces.list' | 'recoverable-items.list'>;

interface DeletedListDependencies extends Pick<ListDependencies, 'store'> {
  /** Days for which a workspace that is deleted now can be restored. */
  readonly restorableDays: number;
}

/**
 * Reads a page of the deleted workspaces of an organization that the caller may restore, with the rights of the caller on
 * each of them.
 * @param arrange narrows and sorts the rows, of which the last deleted one comes first.
 */
const readDeleted = async (
  { digest, parameters: { organization_name: name } }: Pick<ListRequest, 'digest' | 'parameters'>,
  { store }: DeletedListDependencies,
  page: Page,
  arrange: (rows: readonly RestorableRow[]) => readonly RestorableRow[] = (rows) => rows,
) => {
  const [{ caller, organization }] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
  ]);
  const listIndex = await store.listIndexes.open(organization);
  const { rightsOn, rows: restorable } = restorableWorkspaces(listIndex, { caller, organization });
  const found = await store.deletedPages.read(listIndex, () => {
    const rows = arrange(restorable(now()));
    return { count: rows.length, rows: slice(rows, page) };
  });
  return { ...found, caller, organization, rightsOn };
};

/** `GET /organizations/:organization_name/deleted-workspaces` (DEL-17): those that the caller may restore. */
export const listDeletedWorkspaces: Operation<'deleted-workspaces.list', DeletedListDependencies> = async (
  request,
  dependencies,
) => {
  const { query, url } = request;
  const page = readPage(query);
  const { count, workspaces, caller, organization, rightsOn } = await readDeleted(request, dependencies, page);
  const { links, meta } = paginate(page, count, url, query);
  return {
    data: workspaces.map((workspace) =>
      deletedWorkspaceResource(workspace, { caller, organization }, rightsOn(workspace)),
    ),
    links,
    meta: { ...meta, 'restorable-days': dependencies.restorableDays },
  };
};

/** Reads the filters and the order of recoverable items. @throws DomainError 400. */
const readArrangement = (query: URLSearchParams) => {
  const parameter = 'filter[expires_after]';
  const text = query.get(parameter);
  const after = text ? parseTimestamp(text) : Number.NEGATIVE_INFINITY;
  if (after === undefined) throw badParameter(parameter, 'must be a timestamp such as 2027-01-31T08:00:00Z');
  const [type = 'workspaces'] = readOneOf(query, 'filter[recoverable_type]', recoverableTypes);
  const order = readSort(query, ['expires_at']);
  return (rows: readonly RestorableRow[]): readonly RestorableRow[] => {
    const selected = rows.filter(({ purgeAt }) => type === 'workspaces' && purgeAt > after);
    return order ? selected.toSorted((a, b) => order.sign * (a.purgeAt - b.purgeAt)) : selected;
  };
};

/** `GET /organizations/:organization_name/recoverable-items` (DEL-23): deleted workspaces in the form of the original. */
export const listRecoverableItems: Operation<'recoverable-items.list', DeletedListDependencies> = async (
  request,
  dependencies,
) => {
  const { query, url } = request;
  const [page, arrange] = [readPage(query), readArrangement(query)];
  const { count, workspaces } = await readDeleted(request, dependencies, page, arrange);
  return { data: workspaces.map(recoverableItemResource), ...paginate(page, count, url, query) };
};
