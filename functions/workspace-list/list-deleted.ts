import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { canRestore } from '../../shared/access/deleted-workspace-policy.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { deletedWorkspaceResource } from '../../shared/resources/deleted-workspaces/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

interface DeletedListDependencies extends Pick<ListDependencies, 'store'> {
  /** Days for which a workspace that is deleted now can be restored. */
  readonly restorableDays: number;
}

/** `GET /organizations/:organization_name/deleted-workspaces` (DEL-17): those that the caller may restore. */
export const listDeletedWorkspaces: Operation<'deleted-workspaces.list', DeletedListDependencies> = async (
  { digest, parameters: { organization_name: name }, query, url },
  { store, restorableDays },
) => {
  const page = readPage(query);
  const [{ caller, organization }] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
  ]);
  const listIndex = await store.listIndexes.open(organization);
  /** Returns the rights in the project to which a workspace would be restored. */
  const rightsOn = ({ id, access, project: former }: Pick<Workspace, 'id' | 'access' | 'project'>) => {
    const row = listIndex.project(former);
    const project = row && !row.isDeleted ? row : listIndex.project(organization.defaultProject);
    return effectiveRights(caller, organization, project, { id, access });
  };
  const { count, workspaces } = await store.deletedPages.read(listIndex, () => {
    const rows = listIndex.restorable(now()).filter((row) => canRestore(rightsOn(row)));
    return { count: rows.length, rows: slice(rows, page) };
  });
  const { links, meta } = paginate(page, count, url, query);
  return {
    data: workspaces.map((workspace) =>
      deletedWorkspaceResource(workspace, { caller, organization }, rightsOn(workspace)),
    ),
    links,
    meta: { ...meta, 'restorable-days': restorableDays },
  };
};
