import { tooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** An answer in API Gateway's payload format 2.0. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the body is bytes, in base 64. */
  readonly isBase64Encoded?: true;
}

/** On every answer: clients refuse to work with an API whose version they cannot read (HTTP-3). */
const COMMON = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
};

const MEDIA_TYPE = 'application/vnd.api+json';

const isTooLarge = (body: string): boolean =>
  // A character has six bytes at most, escaped: most answers need no second look.
  body.length * 6 > limits.answer && Buffer.byteLength(JSON.stringify(body)) > limits.answer;

/** @throws DomainError 422 for what is too large to be answered. */
export const answer = (
  statusCode: number,
  document?: object,
  headers: Readonly<Record<string, string>> = {},
): Answer => {
  if (document === undefined) return { statusCode, headers: { ...COMMON, ...headers } };
  const body = JSON.stringify(document);
  if (isTooLarge(body)) throw tooLarge();
  return { statusCode, headers: { ...COMMON, 'content-type': MEDIA_TYPE, ...headers }, body };
};
