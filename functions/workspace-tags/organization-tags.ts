import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import type { AuthorizationReader } from '../../shared/access/authorize/reader.ts';
import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { canRead, effectiveRights, scopeOf } from '../../shared/access/rights.ts';
import { DomainError, notFound, unavailable } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { addTags, isFlat, removeTags, type Tags, tagNames } from '../../shared/domain/tags/tag.ts';
import { resolveTagNames } from '../../shared/domain/tags/tag-ids.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import { isAlive } from '../../shared/domain/workspace/workspace-record.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import { rowFromWorkspace } from '../../shared/list-index/row.ts';
import { readTagsToRemove } from '../../shared/resources/tags/request-mapping.ts';
import { tagResource } from '../../shared/resources/tags/response.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import { change, containing, respectReserved, START_MILLISECONDS } from './workspace-tags.ts';

/** Caches the results of a read by its arguments. */
const once = <A extends readonly unknown[], R>(read: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) => {
  const results = new Map<string, Promise<R>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const found = results.get(key) ?? read(...args);
    results.set(key, found);
    return found;
  };
};

/** Wraps a reader for several decisions in one request: each item is read once. */
const sharing = (reader: AuthorizationReader): AuthorizationReader => ({
  ...reader,
  identities: {
    findToken: once(reader.identities.findToken),
    findCallerMemberships: once(reader.identities.findCallerMemberships),
  },
  organizations: { find: once(reader.organizations.find) },
  projects: { find: once(reader.projects.find) },
});

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

/** Number of workspaces whose tags are removed at the same time. */
const CONCURRENCY = 16;

/** Lists the workspaces that have one of the tags. */
const workspacesWithTags = (listIndex: ListIndex, names: readonly string[]): string[] => {
  const wanted = new Set(names);
  return listIndex
    .byName()
    .filter(({ tags }) => tags.some((tag) => isFlat(tag) && wanted.has(tag.key)))
    .map(({ id }) => id);
};

/** Number of workspaces that are checked at the same time. */
const CHECKS = 32;
/** Number of workspaces that are written at the same time. */
const WRITES = 8;

/** Continues with the other workspaces after a failed one, if the same request may succeed later. */
const returnFalseIfUnavailable = (error: unknown): false => {
  if (error instanceof DomainError && error.code === 'unavailable') return false;
  throw error;
};

/** Counts the workspaces that have each tag. Callers who are limited to some workspaces see the tags of these (WI-11). */
const countUses = (
  listIndex: ListIndex,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
): ReadonlyMap<string, number> => {
  if (scopeOf(caller) === undefined) return listIndex.tagUses();
  const all = { order: 'name', direction: 'ascending', from: 0, to: Number.POSITIVE_INFINITY } as const;
  const { rows } = listIndex.select({ reading: readingOf(caller, organization), ...all });
  const names = rows.flatMap(({ tags }) => tagNames(tags));
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, uses]) => [name, uses.length]));
};

export const organizationTagOperations = {
  /**
   * `GET /organizations/:organization_name/tags` (TAG-11): lists every tag of a workspace of the organization, by
   * name. All members see all tags, but only the readers of a workspace see which tags it has.
   */
  'tags.list': async ({ digest, parameters, query, url }, dependencies) => {
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
    const tags = [...countUses(listIndex, access)].filter(([name]) => isSearched(name) && !leftOut.has(name));
    const shown = slice(
      tags.sort(([a], [b]) => (a < b ? -1 : 1)),
      page,
    );
    const times = listIndex.tagTimes(shown.map(([name]) => name));
    const data = shown.map(([name, count]) =>
      tagResource(organization, name, { count, since: times.get(name) as number }),
    );
    return { data, ...paginate(page, tags.length, url, query) };
  },

  /**
   * `DELETE /organizations/:organization_name/tags` (TAG-12): removes tags from all workspaces, each in a write
   * of its own. The request can be repeated: it ignores missing tags and continues where the previous one ended.
   */
  'tags.delete': async ({ contextFor, digest, parameters, body }, { store }) => {
    const references = readTagsToRemove(body.data, '/data');
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
  },

  /**
   * `POST /tags/:tag_id/relationships/workspaces` (TAG-13). The tag and the workspaces are in one organization.
   * All workspaces are checked before the first is changed. Each workspace is changed in a write of its own. The request
   * can be repeated: it ignores workspaces that have the tag.
   */
  'tags.add-to-workspaces': async ({ contextFor, digest, parameters, body }, dependencies) => {
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
        const pointer = `/data/${body.data.findIndex(({ id }) => id === workspace.id)}`;
        const to = (tags: Tags) => addTags(tags, [name], at, () => pointer);
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
  },
} satisfies Partial<Operations<'workspace-tags', ListDependencies>>;
