import type { Organization, Project } from '../../shared/domain/directory/records.ts';
import { withoutOverrides } from '../../shared/domain/tags/reserved-tag-keys.ts';
import { addBindings, addTags, type Binding, checkCount, type Tags } from '../../shared/domain/tags/tag.ts';
import { requireNames, resolveTagNames, type TagReference } from '../../shared/domain/tags/tag-references.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { readBindings, readTags } from '../../shared/resources/tags/request-mapping.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';

/** The tags and bindings that a new workspace begins with. */
export interface InitialTags {
  readonly references: readonly TagReference[];
  readonly bindings: readonly Binding[];
}

type Relationships = OperationRequest<'workspaces.create'>['body']['data']['relationships'];

/** Reads the relationships `tags` and `tag-bindings` of a new workspace (WS-19). Null counts as empty. */
export const readInitialTags = (relationships: Relationships): InitialTags => ({
  references: readTags(relationships?.tags?.data ?? [], '/data/relationships/tags/data'),
  bindings: readBindings(relationships?.['tag-bindings']?.data ?? [], '/data/relationships/tag-bindings/data'),
});

/**
 * Converts initial tags to the tags of a workspace. A tag that is named by its id exists on another workspace.
 * @throws DomainError 404 for an unknown id, 422 for too many tags or an override of a reserved key.
 */
export const initialTags = async (
  { store }: ListDependencies,
  organization: Organization,
  project: Pick<Project, 'bindings'>,
  { references, bindings }: InitialTags,
  at: number,
): Promise<Tags> => {
  const hasIds = references.some((reference) => 'id' in reference);
  const known = hasIds ? (await store.listIndexes.open(organization)).tagUses().keys() : [];
  const names = requireNames(references, resolveTagNames(references, organization.externalId, known));
  const flat = withoutOverrides([], addTags([], names, at), organization, project, '/data/relationships/tags');
  const tags = addBindings(flat, bindings, at);
  checkCount('workspace', tags);
  return withoutOverrides(flat, tags, organization, project, '/data/relationships/tag-bindings');
};
