/**
 * Content coding of a response body: as it is (`identity`), compressed where that pays (`gzip`), or compressed in any case
 * (`gzip-only`), because the client rejects a body that is not.
 */
export type AcceptedEncoding = 'identity' | 'gzip' | 'gzip-only';

/** One element of `Accept-Encoding`: a coding or `*`, with an optional weight from 0 to 1. */
const ELEMENT = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * Chooses between a plain body and gzip (RFC 9110, 12.5.3). Malformed elements are ignored. A client that rejects both
 * gets a plain body.
 * @param header value of `Accept-Encoding`.
 *
 * @example
 * negotiateEncoding('gzip, deflate, br'); // 'gzip'
 * negotiateEncoding('gzip;q=0.5, identity'); // 'identity'
 */
export const negotiateEncoding = (header = ''): AcceptedEncoding => {
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [, coding, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  const others = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others ?? 0;
  // A client that does not mention the plain form accepts it, but prefers what it does mention.
  const identity = weights.get('identity') ?? others;
  if (gzip === 0 || (identity !== undefined && identity > gzip)) return 'identity';
  return identity === 0 ? 'gzip-only' : 'gzip';
};
