import { authorizeWorkspace, type WorkspaceAccess } from '../../shared/access/authorize/workspace.ts';
import type { Organization } from '../../shared/domain/directory/records.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import { addTags, isFlat, removeTags, type Tag, type Tags, tagNames } from '../../shared/domain/tags/tag.ts';
import { requireNames, resolveTagNames, type TagReference } from '../../shared/domain/tags/tag-ids.ts';
import { changeTags } from '../../shared/domain/transitions/relationships/change-tags.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import { SETTINGS, whileMatching } from '../../shared/domain/transitions/while-matching.ts';
import type { Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import type { ListIndex } from '../../shared/list-index/list-index.ts';
import { compareTags, dryRunResource } from '../../shared/resources/dry-runs/response.ts';
import { readTags, readTagsToRemove } from '../../shared/resources/tags/request-mapping.ts';
import { type TagUse, tagResource } from '../../shared/resources/tags/response.ts';
import type { Dependencies, ListDependencies } from '../../shared/runtime/dependencies.ts';
import { previewTransition } from '../../shared/store/workspaces/workspace-store.ts';

/**
 * Time during which a request starts changes, in milliseconds. The last one, which may take 8 s, must end before the
 * timeout of the function. A repeated request changes the workspaces that are left.
 */
export const START_MILLISECONDS = 10_000;

/** Makes a change of tags fail if it overrides a binding of the project whose key is reserved (TAG-21). */
export const respectReserved =
  ({ organization, project }: Pick<WorkspaceAccess, 'organization' | 'project'>, to: (tags: Tags) => Tags) =>
  (tags: Tags): Tags =>
    withoutOverrides(tags, to(tags), organization, project, '/data');

/** Creates the transition that changes the tags of a workspace, as far as reserved keys and `If-Match` allow it. */
const restrictedChange = (request: RequestContext, access: WorkspaceAccess, to: (tags: Tags) => Tags): Transition =>
  whileMatching(request, changeTags(respectReserved(access, to), access.workspace.project));

/** Changes the tags of a workspace and returns the changed workspace. Nothing is written if the tags stay the same. */
export const change = async (
  { store }: Dependencies,
  contextFor: OperationRequest<'workspace-tags.add'>['contextFor'],
  access: WorkspaceAccess,
  to: (tags: Tags) => Tags,
): Promise<Workspace> => {
  const { workspace, caller } = access;
  const request = contextFor(caller);
  const transition = restrictedChange(request, access, to);
  if (transition.applied(workspace)) return workspace;
  return store.workspaces.apply(workspace, transition, request);
};

/** Changes the tags of a workspace, or reports what the change would do. @returns the report, or the changed workspace */
export const changeOrPreview = async (
  dependencies: Dependencies,
  { id, contextFor, isDryRun }: Pick<OperationRequest<'workspace-tags.add'>, 'id' | 'contextFor' | 'isDryRun'>,
  access: WorkspaceAccess,
  to: (tags: Tags) => Tags,
): Promise<{ readonly preview?: Document; readonly workspace: Workspace }> => {
  if (isDryRun) {
    const { workspace, caller } = access;
    const transition = restrictedChange(contextFor(caller), access, to);
    const after = await previewTransition(dependencies.store.workspaces, workspace, transition);
    const changes = compareTags(workspace.tags, after.tags);
    const outcome = after === workspace ? 'unchanged' : 'changed';
    return { preview: { data: dryRunResource(id, { outcome, changes, revised: SETTINGS.of(workspace) }) }, workspace };
  }
  return { workspace: await change(dependencies, contextFor, access, to) };
};

/** Creates a case-insensitive filter on names that contain the text. Null or an empty text matches every name. */
export const containing = (text: string | null): ((name: string) => boolean) => {
  const wanted = text?.toLowerCase() ?? '';
  return (name) => name.toLowerCase().includes(wanted);
};

/**
 * Creates a function that counts the workspaces with a tag of this workspace, and finds the time of the first. The list
 * index provides the other workspaces; this workspace comes from its own item, which is always up to date.
 */
const usesOf = (listIndex: ListIndex, { id }: Workspace, tags: readonly Tag[]): ((tag: Tag) => TagUse) => {
  const counts = listIndex.tagUses();
  const times = listIndex.tagTimes(tags.map(({ key }) => key));
  const counted = new Set(tagNames(listIndex.row(id)?.tags ?? []));
  return ({ key, at }) => ({
    count: (counts.get(key) ?? 0) + (counted.has(key) ? 0 : 1),
    since: Math.min(times.get(key) ?? at, at),
  });
};

/** Resolves references to tag names. The list index is opened only for tags that the workspace does not have. */
const namesFor = async (
  { store }: ListDependencies,
  organization: Organization,
  { tags }: Workspace,
  references: readonly TagReference[],
): Promise<readonly string[]> => {
  const { externalId } = organization;
  const own = tagNames(tags);
  const names = resolveTagNames(references, externalId, own);
  if (!names.includes(undefined)) return requireNames(references, names);
  const listIndex = await store.listIndexes.open(organization);
  return requireNames(references, resolveTagNames(references, externalId, [...own, ...listIndex.tagUses().keys()]));
};

export const workspaceTagOperations = {
  /** `GET /workspaces/:workspace_id/relationships/tags` (TAG-5): tags in the order in which they were added. */
  'workspace-tags.list': async ({ digest, parameters, query, url }, { store }) => {
    const page = readPage(query);
    const { organization, workspace } = await authorizeWorkspace(
      store,
      digest,
      { id: parameters.workspace_id },
      'workspace.read-settings',
      (found) => store.listIndexes.refresh(found.organization),
    );
    const listIndex = await store.listIndexes.open(organization);
    const matches = containing(query.get('name'));
    const tags = workspace.tags.filter((tag) => isFlat(tag) && matches(tag.key));
    const shown = slice(tags, page);
    const useOf = usesOf(listIndex, workspace, shown);
    const data = shown.map((tag) => tagResource(organization, tag.key, useOf(tag)));
    return { data, ...paginate(page, tags.length, url, query) };
  },

  /** `POST /workspaces/:workspace_id/relationships/tags` (TAG-6, TAG-8): adds all tags in one write, or none. */
  'workspace-tags.add': async (request, dependencies) => {
    const { digest, parameters, body } = request;
    const { store } = dependencies;
    const references = readTags(body.data, '/data');
    const hasIds = references.some((reference) => 'id' in reference);
    const access = await authorizeWorkspace(
      store,
      digest,
      { id: parameters.workspace_id },
      'tag.manage',
      hasIds ? ({ organization }) => store.listIndexes.refresh(organization) : undefined,
    );
    const names = await namesFor(dependencies, access.organization, access.workspace, references);
    const at = now();
    return (await changeOrPreview(dependencies, request, access, (tags) => addTags(tags, names, at))).preview;
  },

  /**
   * `DELETE /workspaces/:workspace_id/relationships/tags` (TAG-6, TAG-8); names that the workspace does not have are
   * ignored.
   */
  'workspace-tags.remove': async (request, dependencies) => {
    const { digest, parameters, body } = request;
    const references = readTagsToRemove(body.data, '/data');
    const access = await authorizeWorkspace(dependencies.store, digest, { id: parameters.workspace_id }, 'tag.manage');
    const names = await namesFor(dependencies, access.organization, access.workspace, references);
    return (await changeOrPreview(dependencies, request, access, (tags) => removeTags(tags, names))).preview;
  },
} satisfies Partial<Operations<'workspace-tags', ListDependencies>>;
