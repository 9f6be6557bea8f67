import { hash } from 'node:crypto';
import { DomainError } from '../errors.ts';

/**
 * A resource, and the revision of its own settings. Without a revision, the settings have never changed. A part of another
 * resource has no counter: its revision is its content.
 */
export interface Revised {
  readonly id: string;
  readonly revision?: number | string | undefined;
}

/** Entity tags that a request accepts (EDIT-3): the strong ones of the header `If-Match`, or `*` for any. */
export type Precondition = readonly string[] | '*';

/** Number of characters of an entity tag between its quotes: 96 bits. */
const LENGTH = 16;

/**
 * Builds the entity tag of a resource (EDIT-1). It is a hash, so that no client counts or compares revisions.
 * @example
 * entityTag({ id: 'ws-2jPTvTDXBPFzPGbT', revision: 7 }); // '"Rh8cHq2c3bWm0xPt"'
 */
export const entityTag = ({ id, revision = 0 }: Revised): string =>
  `"${hash('sha256', `${id} ${revision}`, 'base64url').slice(0, LENGTH)}"`;

/** Tells whether a resource has one of the entity tags that a request accepts. A resource that does not exist has none. */
export const isMatch = (precondition: Precondition, resource: Revised | undefined): boolean =>
  resource !== undefined && (precondition === '*' || precondition.includes(entityTag(resource)));

/**
 * Requires that a resource has one of the entity tags that the request accepts.
 * @param precondition undefined for a request without `If-Match`.
 * @param resource undefined if it does not exist; then even `*` does not match.
 * @throws DomainError 412 with the current entity tag.
 */
export const requireMatch = (precondition: Precondition | undefined, resource: Revised | undefined): void => {
  if (precondition === undefined || isMatch(precondition, resource)) return;
  throw new DomainError('precondition-failed', 'The resource has changed since it was read. Read it again.', {
    ...(resource !== undefined && { entityTag: entityTag(resource) }),
  });
};

/**
 * Serializes a value with sorted keys, so that equal values have equal texts: DynamoDB does not keep the order of the members of
 * a map.
 */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
