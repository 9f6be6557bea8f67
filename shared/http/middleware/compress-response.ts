import { limits } from '../../domain/limits.ts';
import { zlib } from '../../lib/zlib.ts';
import { type AcceptedEncoding, negotiateEncoding } from '../content-encoding.ts';
import type { HttpRequest } from '../request.ts';
import type { HttpResponse } from '../response.ts';

/** Characters from which a body is compressed: a shorter one fits into one TCP segment anyway (docs/decisions/0044). */
export const MIN_COMPRESSED = 1_400;
/** Level of zlib. Higher levels need twice the CPU time to save another tenth of the compressed bytes. */
const LEVEL = 3;

const encode = (response: HttpResponse, body: string, accepted: AcceptedEncoding): HttpResponse => {
  const { vary } = response.headers;
  const names = new Set(['accept-encoding', ...(vary?.split(', ') ?? [])]);
  const headers = { ...response.headers, vary: [...names].join(', ') };
  const plain = { ...response, headers };
  if (accepted === 'identity' || (accepted === 'gzip' && body.length < MIN_COMPRESSED)) return plain;
  const compressed = zlib().gzipSync(body, { level: LEVEL }).toString('base64');
  // Base64 can make a body that hardly compresses longer than Lambda accepts.
  if (compressed.length > limits.responseBody) return plain;
  return { ...plain, headers: { ...headers, 'content-encoding': 'gzip' }, body: compressed, isBase64Encoded: true };
};

/**
 * Compresses the body of a response if the client accepts gzip and the body is not small, errors included (HTTP-32). A
 * file that is compressed already, and a response without a body, stay as they are.
 */
export const compressResponse = (request: HttpRequest): void => {
  const { event, response } = request;
  if (response?.body === undefined || response.isBase64Encoded) return;
  request.response = encode(response, response.body, negotiateEncoding(event.headers['accept-encoding']));
};
