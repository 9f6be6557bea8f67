import { DomainError } from '../../domain/errors.ts';
import { type Binding, checkTagName, distinctBindings } from '../../domain/tags/tag.ts';
import type { TagReference } from '../../domain/tags/tag-references.ts';

/** Tags and bindings as they stand in requests, on their own or in a relationship (TAG-6, TAG-16). */

interface TagElement {
  readonly id?: string | null;
  readonly attributes?: { readonly name?: string | null } | null;
}

/**
 * What elements name; where one has an id, that counts.
 * @param pointer leads to the list of elements in the request.
 * @throws DomainError 422 for one with neither, or a name that cannot be one.
 */
export const readTags = (elements: readonly TagElement[], pointer: string): readonly TagReference[] =>
  elements.map((element, index) => {
    const { id, attributes } = element;
    const own = `${pointer}/${index}`;
    if (id) return { id, pointer: own };
    const name = attributes?.name ?? undefined;
    if (name === undefined) {
      throw new DomainError('unprocessable', 'A tag needs an id or a name', { source: { pointer: own } });
    }
    checkTagName(name, `${own}/attributes/name`);
    return { name, pointer: own };
  });

interface BindingElement {
  readonly attributes: { readonly key: string; readonly value?: string | null };
}

/** @throws DomainError 422, as `readTags`; for a key that is given twice with different values as well. */
export const readBindings = (elements: readonly BindingElement[], pointer: string): readonly Binding[] =>
  distinctBindings(
    elements.map(({ attributes: { key, value } }) => (value ? { key, value } : { key })),
    (index) => `${pointer}/${index}/attributes`,
  );
