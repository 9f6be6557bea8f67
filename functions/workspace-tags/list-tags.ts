import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { isId } from '../../shared/domain/ids.ts';
import { tagNames } from '../../shared/domain/tags/tag.ts';
import { isAlive } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { tagResource } from '../../shared/resources/tags/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { containing } from './search.ts';

/** Lists the tags of a workspace; empty if the caller may not read it. */
const tagsToLeaveOut = async (
  { store }: ListDependencies,
  { caller, organization }: OrganizationAccess,
  id: string | null,
): Promise<readonly string[]> => {
  const workspace = id !== null && isId('workspace', id) ? await store.workspaces.find(id) : undefined;
  if (!isAlive(workspace) || workspace.organization !== organization.name) return [];
  const project = await store.projects.find(workspace.project, true);
  return canRead(effectiveRights(caller, organization, project, workspace)) ? tagNames(workspace.tags) : [];
};

/**
 * `GET /organizations/:organization_name/tags` (TAG-11): lists every tag of a workspace of the organization, by
 * name. All members see all tags, but only the readers of a workspace see which tags it has.
 */
export const listTags =
  (dependencies: ListDependencies): Operation<'tags.list'> =>
  async ({ digest, parameters, query, url }) => {
    const { store } = dependencies;
    const page = readPage(query);
    const [access] = await Promise.all([
      authorizeOrganization(store, digest, { organization: parameters.organization_name }),
      store.listIndexes.refresh(parameters.organization_name),
    ]);
    const { organization } = access;
    const leftOut = new Set(await tagsToLeaveOut(dependencies, access, query.get('filter[exclude][taggable][id]')));
    const listIndex = await store.listIndexes.open(organization);
    const isSearched = containing(query.get('q'));
    const tags = [...listIndex.tagUses()].filter(([name]) => isSearched(name) && !leftOut.has(name));
    const shown = slice(
      tags.sort(([a], [b]) => (a < b ? -1 : 1)),
      page,
    );
    const times = listIndex.tagTimes(shown.map(([name]) => name));
    const data = shown.map(([name, count]) =>
      tagResource(organization, name, { count, since: times.get(name) as number }),
    );
    return { data, ...paginate(page, tags.length, url, query) };
  };
