import { DomainError } from '../domain/errors.ts';

/** Returns all values of the parameter `sort` for some names. A hyphen means descending. */
export const sortValues = (names: readonly string[]): readonly string[] => names.flatMap((name) => [name, `-${name}`]);

/**
 * Reads the parameter `sort`.
 * @returns the name without its hyphen and 1 for ascending or -1 for descending; undefined if the parameter is absent.
 * @throws DomainError 400 for an unknown name.
 */
export const readSort = <N extends string>(
  query: URLSearchParams,
  names: readonly N[],
): { readonly name: N; readonly sign: 1 | -1 } | undefined => {
  const sort = query.get('sort');
  if (!sort) return undefined;
  const name = names.find((one) => one === sort.replace(/^-/, ''));
  if (name !== undefined) return { name, sign: sort.startsWith('-') ? -1 : 1 };
  throw new DomainError('bad-request', `sort must be one of: ${sortValues(names).join(', ')}`, {
    source: { parameter: 'sort' },
  });
};
