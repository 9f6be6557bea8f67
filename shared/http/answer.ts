import { DomainError } from '../domain/errors.ts';

/** An answer in API Gateway's payload format 2.0. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the body is bytes, in base 64. */
  readonly isBase64Encoded?: true;
}

/** On every answer: clients refuse to work with an API whose version they cannot read (contract 1.8). */
const COMMON = {
  'tfp-api-version': '2.6',
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
};

const MEDIA_TYPE = 'application/vnd.api+json';

/**
 * The most that a body may have once Lambda has put it into its own JSON, in bytes: at 6 MB it would refuse to hand the
 * answer over.
 */
const MOST = 5_000_000;

const isTooLarge = (body: string): boolean =>
  // A character has six bytes at most, escaped: most answers need no second look.
  body.length * 6 > MOST && Buffer.byteLength(JSON.stringify(body)) > MOST;

/** @throws DomainError 422 for what is too large to be answered. */
export const answer = (
  statusCode: number,
  document?: object,
  headers: Readonly<Record<string, string>> = {},
): Answer => {
  if (document === undefined) return { statusCode, headers: { ...COMMON, ...headers } };
  const body = JSON.stringify(document);
  if (isTooLarge(body)) {
    throw new DomainError('unprocessable', 'The answer is larger than 5 MB. Ask for fewer at once with page[size].', {
      source: { parameter: 'page[size]' },
    });
  }
  return { statusCode, headers: { ...COMMON, 'content-type': MEDIA_TYPE, ...headers }, body };
};
