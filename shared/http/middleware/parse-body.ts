import { DomainError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { MEDIA_TYPE } from '../../routes/api.ts';
import type { HttpEvent, HttpMiddleware, HttpRequest } from '../request.ts';

const badRequest = (detail: string, cause?: unknown): DomainError => new DomainError('bad-request', detail, { cause });

/** The media type of JSON:API or that of JSON, in any case, with at most a charset parameter of UTF-8. */
const ACCEPTED = new RegExp(
  `^(${MEDIA_TYPE.replaceAll(/[.+]/g, '\\$&')}|application/json) *(; *charset="?utf-8"? *)?;? *$`,
  'i',
);

const decodeBytes = (event: HttpEvent): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Half a surrogate pair can only get into a UTF-8 text as an escape sequence. */
const HALF_PAIR = /\\ud[89a-f]/i;

const isWellFormed = (document: unknown): boolean => {
  const left: unknown[] = [document];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return false;
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) left.push(key, inner);
    }
  }
  return true;
};

const decode = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw badRequest('The body is not valid UTF-8.', error);
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest('The body is not valid JSON.', error);
  }
};

/**
 * Parses the body of a request.
 * @param maximum size of the largest body that is accepted, in bytes.
 * @returns the JSON document; undefined if there is no body.
 * @throws DomainError 413 for size, 415 for media type, 400 for bytes that are not JSON in UTF-8.
 */
const readBody = (event: HttpEvent, maximum: number): unknown => {
  const bytes = decodeBytes(event);
  if (bytes.length === 0) return undefined;
  if (bytes.length > maximum) {
    throw new DomainError('content-too-large', `The body is larger than ${maximum} bytes.`);
  }
  if (!ACCEPTED.test(event.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported-media-type', `The body must be ${MEDIA_TYPE}.`);
  }
  const text = decode(bytes);
  const document = parseJson(text);
  if (HALF_PAIR.test(text) && !isWellFormed(document)) {
    throw badRequest('The body has a string that is not valid Unicode.');
  }
  return document;
};

/** Parses the body of routes that take one (HTTP-5); the body of other routes is ignored. */
export const parseBody = (): HttpMiddleware => {
  const parseBodyBefore = ({ event, internal }: HttpRequest): void => {
    const rule = internal.route?.body;
    if (rule !== undefined) internal.body = readBody(event, rule.large ? limits.bodyWithState : limits.body);
  };
  return { before: parseBodyBefore };
};
