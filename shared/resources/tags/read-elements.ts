import { DomainError } from '../../domain/errors.ts';
import { type Binding, checkTagName, distinctBindings } from '../../domain/tags/tag.ts';
import type { TagReference } from '../../domain/tags/tag-references.ts';

/** Readers of the tags and bindings in requests (TAG-6, TAG-16). */

interface TagElement {
  readonly id?: string | null;
  readonly attributes?: { readonly name?: string | null } | null;
}

/**
 * Reads references to tags from the elements of a request. An id takes precedence over a name.
 * @param pointer JSON pointer to the list of elements.
 * @throws DomainError 422 for an element without id and name, or with an invalid name.
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

/**
 * Reads bindings from the elements of a request.
 * @throws DomainError 422 for an invalid key or value, or for a key with different values.
 */
export const readBindings = (elements: readonly BindingElement[], pointer: string): readonly Binding[] =>
  distinctBindings(
    elements.map(({ attributes: { key, value } }) => (value ? { key, value } : { key })),
    (index) => `${pointer}/${index}/attributes`,
  );
