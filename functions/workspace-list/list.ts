import { authorizeOrganization } from '../../shared/access/authorize.ts';
import { readingOf } from '../../shared/access/reading.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import type { Workspace } from '../../shared/domain/workspace.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import type { Resource } from '../../shared/jsonapi/document.ts';
import { paginate, rangeOf, readPage } from '../../shared/jsonapi/pagination.ts';
import { workspaceResource } from '../../shared/jsonapi/workspace.ts';
import type { Services } from '../../shared/services.ts';
import { readFilter, readOrder } from './query.ts';

/** `GET /organizations/:organization_name/workspaces` (spec 4.1): what the caller may read, page by page. */
export const listWorkspaces =
  ({ store, features }: Services): Operation<'workspaces.list'> =>
  async ({ digest, parameters, query, url }) => {
    const [page, order, filter] = [readPage(query), readOrder(query), readFilter(query)];
    const { organization_name: name } = parameters;
    const [{ caller, organization }] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }),
      store.catalogues.refresh(name),
    ]);
    const catalogue = await store.catalogues.open(organization.name, organization.shards);
    const reading = readingOf(caller, organization);
    const { total, workspaces } = await store.readPage(
      catalogue,
      () => catalogue.select({ reading, filter, ...order }),
      rangeOf(page),
      !reading.everything,
    );
    return { data: await Promise.all(workspaces.map(present)), ...paginate(page, total, url, query) };

    async function present(workspace: Workspace): Promise<Resource> {
      // A project that is newer than the index is read; there is none without.
      const project = catalogue.project(workspace.project) ?? (await store.findProject(workspace.project, true));
      if (project === undefined) throw unavailable('A project is being deleted. Try again shortly.');
      const rights = effectiveRights(caller, organization, project, workspace);
      const releases = await store.findReleases(workspace.settings.infraVersion, true);
      return workspaceResource({ workspace, organization, project, rights, releases, features });
    }
  };
