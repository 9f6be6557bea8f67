import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { DomainError, notFound, unavailable } from '../../shared/domain/errors.ts';
import { addTags, type Tags, tagNames } from '../../shared/domain/tags/tag.ts';
import { resolveTagNames } from '../../shared/domain/tags/tag-references.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { change, respectReserved, START_MILLISECONDS } from './change.ts';
import { once, sharing } from './sharing.ts';

/** Number of workspaces that are checked at the same time. */
const CHECKS = 32;
/** Number of workspaces that are written at the same time. */
const WRITES = 8;

/**
 * `POST /tags/:tag_id/relationships/workspaces` (TAG-13). The tag and the workspaces are in one organization.
 * All workspaces are checked before the first is changed. Each workspace is changed in a write of its own. The request
 * can be repeated: it ignores workspaces that have the tag.
 */
export const addTagToWorkspaces =
  (dependencies: ListDependencies): Operation<'tags.add-to-workspaces'> =>
  async ({ contextFor, digest, parameters, body }) => {
    const { store } = dependencies;
    const reader = sharing(store);
    const ids = [...new Set(body.data.map((workspace) => workspace.id))];
    const accesses = await mapWithConcurrency(ids, CHECKS, (workspace) =>
      authorizeWorkspace(reader, digest, { id: workspace }, 'tag.manage'),
    );
    const openListIndex = once(store.listIndexes.open);
    const at = now();
    const changes = await Promise.all(
      accesses.map(async (access) => {
        const { organization, workspace } = access;
        const listIndex = await openListIndex(organization);
        const known = [...tagNames(workspace.tags), ...listIndex.tagUses().keys()];
        const [name] = resolveTagNames([{ id: parameters.tag_id, pointer: '' }], organization.externalId, known);
        if (name === undefined) throw notFound();
        const to = (tags: Tags) => addTags(tags, [name], at);
        changeTags(respectReserved(access, to)).plan(workspace);
        return { access, to };
      }),
    );
    const left = new Set(ids);
    await mapWithConcurrency(changes, WRITES, async ({ access, to }) => {
      const isLate = now() > at + START_MILLISECONDS;
      const isDone =
        !isLate && (await change(dependencies, contextFor, access, to).then(() => true, returnFalseIfUnavailable));
      if (isDone) left.delete(access.workspace.id);
    });
    if (left.size > 0) {
      throw unavailable(`The tag was not added to these workspaces: ${[...left].join(', ')}. Repeat the request.`);
    }
    return undefined;
  };

/** Lets the other workspaces be changed after one that was not, if the same request may succeed later. */
const returnFalseIfUnavailable = (error: unknown): false => {
  if (error instanceof DomainError && error.code === 'unavailable') return false;
  throw error;
};
