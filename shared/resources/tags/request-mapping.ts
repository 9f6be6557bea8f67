import { DomainError } from '../../domain/errors.ts';
import { type Binding, checkTagName, distinctBindings } from '../../domain/tags/tag.ts';
import type { TagReference } from '../../domain/tags/tag-ids.ts';
import { mapRequest, type RequestAttributes } from '../attribute-table.ts';
import { attributes, bindingAttributes } from './attributes.ts';

/** Readers of the tags and bindings in requests (TAG-6, TAG-16). */

interface TagElement {
  readonly id?: string | null;
  readonly attributes?: RequestAttributes<typeof attributes> | null;
}

/**
 * Reads references to tags that a request removes. An id takes precedence over a name. A name that no tag can have matches
 * none, so it is no error (TAG-8).
 * @param pointer JSON pointer to the list of elements.
 * @throws DomainError 422 for an element without id and name.
 */
export const readTagsToRemove = (elements: readonly TagElement[], pointer: string): readonly TagReference[] =>
  elements.map((element, index) => {
    const { id } = element;
    const own = `${pointer}/${index}`;
    if (id) return { id, pointer: own };
    const { name = null } = mapRequest(attributes, element.attributes ?? {}, {});
    if (name === null) {
      throw new DomainError('unprocessable', 'A tag needs an id or a name', { source: { pointer: own } });
    }
    if (name === '') checkTagName(name, `${own}/attributes/name`);
    return { name, pointer: own };
  });

/**
 * Reads references to tags that a request adds. An id takes precedence over a name.
 * @param pointer JSON pointer to the list of elements.
 * @throws DomainError 422 for an element without id and name, or with an invalid name.
 */
export const readTags = (elements: readonly TagElement[], pointer: string): readonly TagReference[] => {
  const references = readTagsToRemove(elements, pointer);
  for (const reference of references) {
    if ('name' in reference) checkTagName(reference.name, `${reference.pointer}/attributes/name`);
  }
  return references;
};

interface BindingElement {
  /** The schema of the body requires the key. */
  readonly attributes: RequestAttributes<typeof bindingAttributes> & { readonly key: string };
}

/**
 * Reads bindings from the elements of a request.
 * @throws DomainError 422 for an invalid key or value, or for a key with different values.
 */
export const readBindings = (elements: readonly BindingElement[], pointer: string): readonly Binding[] =>
  distinctBindings(
    elements.map(({ attributes: given }) =>
      mapRequest<typeof bindingAttributes, Binding>(bindingAttributes, given, {
        value: (value) => (value ? { value } : {}),
      }),
    ),
    (index) => `${pointer}/${index}/attributes`,
  );
