import { tooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { API_VERSION, MEDIA_TYPE } from '../routes/api.ts';

/** An HTTP response in API Gateway's payload format 2.0. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly cookies?: readonly string[];
  /** Set if the body is binary, encoded in base64. */
  readonly isBase64Encoded?: true;
}

/** Headers of every response (HTTP-3). */
const COMMON_HEADERS = {
  'tfp-api-version': API_VERSION,
  'tfp-appname': 'Holdfast',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const isTooLarge = (body: string): boolean =>
  // A character takes six bytes at most once it is escaped, so most responses need no exact count.
  body.length * 6 > limits.responseBody && Buffer.byteLength(JSON.stringify(body)) > limits.responseBody;

/**
 * Creates a response with the headers that all responses have.
 * @param document JSON:API document; undefined for a response without a body.
 * @throws DomainError 422 if the document is larger than a response may be (HTTP-19).
 */
export const createResponse = (
  statusCode: number,
  document?: object,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => {
  if (document === undefined) return { statusCode, headers: { ...COMMON_HEADERS, ...headers } };
  const body = JSON.stringify(document);
  if (isTooLarge(body)) throw tooLarge();
  return { statusCode, headers: { ...COMMON_HEADERS, 'content-type': MEDIA_TYPE, ...headers }, body };
};
