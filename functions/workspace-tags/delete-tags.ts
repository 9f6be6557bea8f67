import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { unavailable } from '../../shared/domain/errors.ts';
import { isFlat, removeTags } from '../../shared/domain/tags/tag.ts';
import { resolveTagNames } from '../../shared/domain/tags/tag-references.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import { isAlive } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import { rowFromWorkspace } from '../../shared/list-index/row.ts';
import { readTags } from '../../shared/resources/tags/request-mapping.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { START_MILLISECONDS } from './change.ts';

/** Number of workspaces whose tags are removed at the same time. */
const CONCURRENCY = 16;

/**
 * `DELETE /organizations/:organization_name/tags` (TAG-12): removes tags from all workspaces, each in a write
 * of its own. The request can be repeated: it ignores missing tags and continues where the previous one ended.
 */
export const deleteTags =
  ({ store }: ListDependencies): Operation<'tags.delete'> =>
  async ({ contextFor, digest, parameters, body }) => {
    const references = readTags(body.data, '/data');
    const { organization_name: name } = parameters;
    const [{ organization, caller }] = await Promise.all([
      authorizeOrganization(store, digest, { organization: name }, (access) =>
        requireOrganizationPermission(access, 'tag.manage'),
      ),
      store.listIndexes.refresh(name),
    ]);
    const open = () => store.listIndexes.open(organization);
    const deadline = now() + START_MILLISECONDS;
    let listIndex = await open();
    const names = resolveTagNames(references, organization.externalId, listIndex.tagUses().keys()).filter(
      (known) => known !== undefined,
    );
    const transition = changeTags((tags) => removeTags(tags, names));

    /** Removes the tags from the stored workspace, which may be newer than its row, and updates the list index. */
    const removeFrom = async (workspaceId: string): Promise<void> => {
      if (now() > deadline) throw unavailable('The tags are on many workspaces. Repeat the request to continue.');
      const workspace = await store.workspaces.find(workspaceId);
      const row = listIndex.row(workspaceId);
      if (!isAlive(workspace)) return row && listIndex.apply({ ...row, isDeleted: true });
      const request = contextFor(caller);
      const changed = transition.applied(workspace)
        ? workspace
        : await store.workspaces.apply(workspace, transition, request);
      listIndex.apply(rowFromWorkspace(changed));
    };
    // Repeated until no workspace has the tags, because other requests may add them in the meantime.
    while (names.some((known) => listIndex.tagUses().has(known))) {
      await mapWithConcurrency(workspacesWithTags(listIndex, names), CONCURRENCY, removeFrom);
      listIndex = await open();
    }
    return undefined;
  };

/** Lists the workspaces that have one of the tags. */
const workspacesWithTags = (listIndex: ListIndex, names: readonly string[]): string[] => {
  const wanted = new Set(names);
  return listIndex
    .byName()
    .filter(({ tags }) => tags.some((tag) => isFlat(tag) && wanted.has(tag.key)))
    .map(({ id }) => id);
};
