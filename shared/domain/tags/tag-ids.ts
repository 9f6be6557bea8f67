import { DomainError } from '../errors.ts';
import { computed, computedId } from '../ids.ts';

/**
 * Computes the id of a tag from its name. Ids of tags and bindings are not stored.
 * @param organization external id, so that a new organization with the name of a deleted one has other tag ids.
 */
export const tagId = (organization: string, name: string): string => computedId('tag', organization, name);

/**
 * Computes the id of a tag binding. Neither ids nor keys contain a slash, so different bindings have different ids.
 * @param organization external id.
 * @param holder id of the workspace or project.
 */
export const bindingId = (organization: string, holder: string, key: string): string =>
  computedId('tagBinding', organization, `${holder}/${key}`);

/**
 * Computes the id of an effective tag binding of a workspace. These ids have no prefix (HTTP-10).
 * @param organization external id.
 */
export const effectiveBindingId = (organization: string, workspace: string, key: string): string =>
  computed(organization, `${workspace}/effective/${key}`);

/** Reference to a tag in a request, by id or by name. `pointer` is its JSON pointer in the request. */
export type TagReference = { readonly pointer: string } & ({ readonly id: string } | { readonly name: string });

/**
 * Resolves references to tag names. Ids are found by computing the id of each known name, so ids of another organization
 * are unknown.
 * @param organization external id.
 * @param known names of all tags of the organization.
 * @returns a name for each reference; undefined for an unknown id.
 */
export const resolveTagNames = (
  references: readonly TagReference[],
  organization: string,
  known: Iterable<string>,
): readonly (string | undefined)[] => {
  const names = new Map<string, string | undefined>();
  for (const reference of references) if ('id' in reference) names.set(reference.id, undefined);
  if (names.size > 0) {
    for (const name of known) {
      const id = tagId(organization, name);
      if (names.has(id)) names.set(id, name);
    }
  }
  return references.map((reference) => ('id' in reference ? names.get(reference.id) : reference.name));
};

/**
 * Returns the names that `resolveTagNames` found.
 * @throws DomainError 404 for the first reference with an unknown id.
 */
export const requireNames = (
  references: readonly TagReference[],
  names: readonly (string | undefined)[],
): readonly string[] =>
  names.map((name, index) => {
    if (name !== undefined) return name;
    const pointer = `${references[index]?.pointer}/id`;
    throw new DomainError('not-found', 'There is no tag of this id in the organization.', { source: { pointer } });
  });
