import { DomainError } from '../errors.ts';
import { tagId } from './tag-ids.ts';

/** A tag as a request names it: by its id, or by its name. `pointer` leads to it in the request. */
export type TagReference = { readonly pointer: string } & ({ readonly id: string } | { readonly name: string });

/**
 * The names that references stand for; undefined where none of the names given has the id. An organization's ids are
 * found by computing them, so another organization's are as unknown as those that do not exist.
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

/** @throws DomainError 404 for the first reference without a name. */
export const requireNames = (
  references: readonly TagReference[],
  names: readonly (string | undefined)[],
): readonly string[] =>
  names.map((name, index) => {
    if (name !== undefined) return name;
    const pointer = `${references[index]?.pointer}/id`;
    throw new DomainError('not-found', 'There is no tag of this id in the organization.', { source: { pointer } });
  });
