import type { Precondition } from '../../domain/changes/entity-tags.ts';
import { DomainError } from '../../domain/errors.ts';
import type { HttpRequest } from '../request.ts';

/** One entity tag (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?"[!#-~\x80-\xff]*"/g;
/** Stands for every entity tag while the form of the list is checked. */
const ANY_TAG = '""';

const malformed = (): DomainError =>
  new DomainError(
    'bad-request',
    'The header If-Match must be * or a list of entity tags in double quotes, as in the header ETag of a response.',
  );

/**
 * Reads the value of `If-Match`.
 * @returns the strong entity tags, because weak ones never match (RFC 9110, 13.1.1); or `*`.
 * @throws DomainError 400.
 */
const readTags = (header: string): Precondition => {
  if (header.trim() === '*') return '*';
  const elements = header
    .replaceAll(TAG, ANY_TAG)
    .split(',')
    .map((element) => element.trim());
  const isList = elements.includes(ANY_TAG) && elements.every((element) => element === '' || element === ANY_TAG);
  if (!isList) throw malformed();
  return (header.match(TAG) ?? []).filter((tag) => !tag.startsWith('W/'));
};

/**
 * Reads the entity tags in `If-Match` (EDIT-3). Rejects the header with 400 on a route that does not honor it, because the
 * client expects that the change is conditional (EDIT-5).
 */
export const readPrecondition = ({ event, internal }: HttpRequest): void => {
  const header = event.headers['if-match'];
  if (header === undefined) return;
  if (internal.route?.conditional !== true) {
    throw new DomainError('bad-request', 'This operation does not support If-Match. Send the request without it.');
  }
  internal.precondition = readTags(header);
};
