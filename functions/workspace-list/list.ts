import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize.ts';
import { canRead, effectiveRights, organizationRights } from '../../shared/access/rights.ts';
import { type Catalogue, type Row, rowOf } from '../../shared/domain/catalogue.ts';
import { DomainError, unavailable } from '../../shared/domain/errors.ts';
import { isAlive, type Workspace } from '../../shared/domain/workspace.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { type Page, paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { workspaceResource } from '../../shared/jsonapi/workspace.ts';
import type { Services } from '../../shared/services.ts';

const orders = { name: 'ascending', '-name': 'descending' } as const;
type Order = keyof typeof orders;

const readOrder = (query: URLSearchParams): Order => {
  const sort = query.get('sort') || 'name';
  if (!Object.hasOwn(orders, sort)) {
    throw new DomainError('bad-request', `sort must be one of: ${Object.keys(orders).join(', ')}`, {
      source: { parameter: 'sort' },
    });
  }
  return sort as Order;
};

/** A filter that was passed over would answer with what somebody wanted to leave out. */
const refuseFilters = (query: URLSearchParams): void => {
  for (const [parameter, value] of query) {
    if (value === '' || !/^(search|filter)\[/.test(parameter)) continue;
    throw new DomainError('bad-request', 'Lists cannot be narrowed by search or filter', { source: { parameter } });
  }
};

/** How often a page is made anew because what it was made from had changed. */
const ATTEMPTS = 5;

/** `GET /organizations/:organization_name/workspaces` (spec 4.1): what the caller may read, page by page. */
export const listWorkspaces =
  ({ store, features }: Services): Operation<'workspaces.list'> =>
  async ({ digest, parameters, query, url }) => {
    const [page, order] = [readPage(query), readOrder(query)];
    refuseFilters(query);
    const { organization_name: name } = parameters;
    const [access] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      store.catalogues.refresh(name),
    ]);
    const { organization } = access;
    const catalogue = await store.catalogues.open(organization.name, organization.shards);

    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const rows = readable(catalogue, access, order);
      const shown = slice(rows, page);
      const workspaces = await readPageOf(store, shown);
      if (!isStill(shown, workspaces, catalogue)) continue;
      return present(rows.length, page, workspaces);
    }
    throw unavailable('The workspaces change too quickly to be listed. Try again shortly.');

    async function present(total: number, { number, size }: Page, workspaces: readonly Workspace[]) {
      const resources = await Promise.all(
        workspaces.map(async (workspace) => {
          // A project that is newer than the index is read; there is none without.
          const project = catalogue.project(workspace.project) ?? (await store.findProject(workspace.project, true));
          if (project === undefined) throw unavailable('A project is being deleted. Try again shortly.');
          const rights = effectiveRights(access.caller, organization, project, workspace);
          const releases = await store.findReleases(workspace.settings.infraVersion, true);
          return workspaceResource({ workspace, organization, project, rights, releases, features });
        }),
      );
      return { data: resources, ...paginate({ number, size }, total, url, query) };
    }
  };

/** The rows that the caller may read, in order. */
const readable = (catalogue: Catalogue, { caller, organization }: OrganizationAccess, order: Order): readonly Row[] => {
  const all = catalogue.byName();
  const rows = canRead(organizationRights(caller, organization))
    ? all
    : all.filter((row) => canRead(effectiveRights(caller, organization, catalogue.project(row.project), row)));
  return orders[order] === 'ascending' ? rows : rows.toReversed();
};

/** The workspaces of a page, in its order; those that were read from before their row are read again. */
const readPageOf = async (
  store: Services['store'],
  rows: readonly Row[],
): Promise<readonly (Workspace | undefined)[]> => {
  const found = new Map((await store.findAll(rows)).map((workspace) => [workspace.id, workspace]));
  const stale = rows.filter(({ id, listedAt }) => (found.get(id)?.listedAt ?? -1) < listedAt);
  if (stale.length > 0) {
    for (const workspace of await store.findAll(stale, true)) found.set(workspace.id, workspace);
  }
  return rows.map(({ id }) => found.get(id));
};

/**
 * Whether a page's rows still say what the workspaces say. Where they do not, the catalogue learns it: so an index that
 * lags never shows a workspace that is gone, renamed, or no longer granted. What projects grant is as old as the index.
 */
const isStill = (
  rows: readonly Row[],
  workspaces: readonly (Workspace | undefined)[],
  catalogue: Catalogue,
): workspaces is readonly Workspace[] => {
  let same = true;
  for (const [index, row] of rows.entries()) {
    const workspace = workspaces[index];
    if (isAlive(workspace) && workspace.listedAt === row.listedAt) continue;
    same = false;
    catalogue.apply(isAlive(workspace) ? rowOf(workspace) : { ...row, gone: true });
  }
  return same;
};
