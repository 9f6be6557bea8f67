import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { DomainError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

const bad = (detail: string, cause?: unknown): DomainError => new DomainError('bad-request', detail, { cause });

/** `application/vnd.api+json` or `application/json`, in any case, with a charset at most (and then UTF-8). */
const ACCEPTED = /^application\/(vnd\.api\+)?json *(; *charset="?utf-8"? *)?;? *$/i;

const bytesOf = (event: APIGatewayProxyEventV2): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Escapes are the one way in which half a surrogate pair gets into a text that came as UTF-8. */
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

/**
 * The parsed body of a request; undefined when there is none.
 * @throws DomainError 413, 415, 400.
 */
export const parseBody = (event: APIGatewayProxyEventV2, most: number = limits.body): unknown => {
  const bytes = bytesOf(event);
  if (bytes.length === 0) return undefined;
  if (bytes.length > most) {
    throw new DomainError('content-too-large', `The body is larger than ${most} bytes.`);
  }
  if (!ACCEPTED.test(event.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported-media-type', 'The body must be application/vnd.api+json.');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw bad('The body is not valid UTF-8.', error);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw bad('The body is not valid JSON.', error);
  }
  if (HALF_PAIR.test(text) && !isWellFormed(document)) throw bad('The body has a string that is not valid Unicode.');
  return document;
};
