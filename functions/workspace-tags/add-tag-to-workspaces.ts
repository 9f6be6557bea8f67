import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { notFound } from '../../shared/domain/errors.ts';
import { addTags, type Tags, tagNames } from '../../shared/domain/tags/tag.ts';
import { resolveTagNames } from '../../shared/domain/tags/tag-references.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import { CONCURRENCY, change } from './change.ts';
import { sharing } from './sharing.ts';

/**
 * `POST /tags/:tag_id/relationships/workspaces` (TAG-13). The tag and the workspaces are in one organization.
 * All workspaces are checked before the first is changed. Each workspace is changed in a write of its own.
 */
export const addTagToWorkspaces =
  (dependencies: Dependencies): Operation<'tags.add-to-workspaces'> =>
  async ({ id, digest, parameters, body }) => {
    const { store } = dependencies;
    const reader = sharing(store);
    const ids = [...new Set(body.data.map((workspace) => workspace.id))];
    const accesses = await Promise.all(
      ids.map((workspace) => authorizeWorkspace(reader, digest, { id: workspace }, 'tag.manage')),
    );
    const at = now();
    const changes = await Promise.all(
      accesses.map(async (access) => {
        const { organization, workspace } = access;
        const listIndex = await store.listIndexes.open(organization);
        const known = [...tagNames(workspace.tags), ...listIndex.tagUses().keys()];
        const [name] = resolveTagNames([{ id: parameters.tag_id, pointer: '' }], organization.externalId, known);
        if (name === undefined) throw notFound();
        const to = (tags: Tags) => addTags(tags, [name], at);
        changeTags(to).plan(workspace);
        return { access, to };
      }),
    );
    await mapWithConcurrency(changes, CONCURRENCY, ({ access, to }) => change(dependencies, id, access, to));
    return undefined;
  };
