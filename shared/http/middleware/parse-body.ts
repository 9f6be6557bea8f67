import { DomainError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { MEDIA_TYPE } from '../../routes/api.ts';
import type { Route } from '../../routes/index.ts';
import type { HttpEvent, HttpRequest } from '../request.ts';

const badRequest = (detail: string, cause?: unknown): DomainError => new DomainError('bad-request', detail, { cause });

/** Media type of JSON:API or JSON, case-insensitive, with at most the parameter `charset=utf-8`. */
const ACCEPTED = new RegExp(
  `^(${MEDIA_TYPE.replaceAll(/[.+]/g, '\\$&')}|application/json) *(; *charset="?utf-8"? *)?;? *$`,
  'i',
);

const decodeBytes = (event: HttpEvent): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** The detail of STATE-20: clients show it to a user whose state was not saved. */
const STATE_TOO_LARGE = [
  `The body is larger than ${limits.bodyWithState} bytes: the outputs, or the state in the body, are too large.`,
  'The state was not saved, and the lock is still held.',
  'Upload the state without inline content, or reduce its outputs; then release the lock.',
].join(' ');

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
 * @param rule of the route, which decides how large the body may be.
 * @returns the JSON document; undefined if there is no body.
 * @throws DomainError 413 for size, 415 for media type, 400 for bytes that are not JSON in UTF-8.
 */
const readBody = (event: HttpEvent, { large }: NonNullable<Route['body']>): unknown => {
  const bytes = decodeBytes(event);
  if (bytes.length === 0) return undefined;
  if (bytes.length > (large ? limits.bodyWithState : limits.body)) {
    throw new DomainError(
      'content-too-large',
      large ? STATE_TOO_LARGE : `The body is larger than ${limits.body} bytes.`,
    );
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

/** Media type of forms, with any parameter. */
const FORM = /^application\/x-www-form-urlencoded *(;.*)?$/i;

/**
 * Parses a form (WI-8). A parameter without a value counts as omitted.
 * @returns the parameters by name.
 * @throws DomainError 413 for size, 415 for media type, 400 for a parameter that is sent twice.
 */
const readForm = (event: HttpEvent): Readonly<Record<string, string>> => {
  const bytes = decodeBytes(event);
  if (bytes.length > limits.form) {
    throw new DomainError('content-too-large', `The body is larger than ${limits.form} bytes.`);
  }
  if (!FORM.test(event.headers['content-type'] ?? '')) {
    throw new DomainError('unsupported-media-type', 'The body must be application/x-www-form-urlencoded.');
  }
  const parameters = [...new URLSearchParams(decode(bytes))].filter(([, value]) => value !== '');
  const form = Object.fromEntries(parameters);
  if (Object.keys(form).length < parameters.length) throw badRequest('The body has a parameter twice.');
  return form;
};

/** Parses the body of routes that take one (HTTP-5); the body of other routes is ignored. */
export const parseBody = ({ event, internal }: HttpRequest): void => {
  const { body: rule, oauth } = internal.route ?? {};
  if (rule !== undefined) internal.body = oauth ? readForm(event) : readBody(event, rule);
};
