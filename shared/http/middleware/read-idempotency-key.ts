import { DomainError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { HttpRequest } from '../request.ts';

/** A string of structured field values (RFC 9651, 3.3.3): printable ASCII, with `"` and `\` escaped. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** A key without quotes, as many clients send it: the characters of tokens and of base 64. */
const TOKEN = /^[\w!#$%&'*+.^`|~:/=-]+$/;

/**
 * Parses the header `Idempotency-Key` (HTTP-37).
 * @throws DomainError 400 for another form, and for an empty or too long key.
 * @example
 * parseIdempotencyKey('"8e03978e-40d5-43e8-bc93-6894a57f9324"'); // '8e03978e-40d5-43e8-bc93-6894a57f9324'
 */
export const parseIdempotencyKey = (header: string): string => {
  const text = header.trim();
  const key = TOKEN.test(text) ? text : STRING.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
  if (key !== undefined && key !== '' && key.length <= limits.idempotencyKey) return key;
  throw new DomainError(
    'bad-request',
    `The header Idempotency-Key must be a string of 1 to ${limits.idempotencyKey} ASCII characters in double quotes.`,
  );
};

/** Reads the header `Idempotency-Key` of requests that change something (HTTP-37). It is ignored on `GET`. */
export const readIdempotencyKey = ({ event, internal }: HttpRequest): void => {
  const header = event.headers['idempotency-key'];
  if (header === undefined || internal.route?.method === 'GET') return;
  internal.idempotencyKey = parseIdempotencyKey(header);
};
