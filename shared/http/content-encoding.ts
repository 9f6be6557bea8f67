/**
 * Content coding of a response body: unchanged (`identity`), compressed where that pays (`gzip`), or compressed in any case
 * (`gzip-only`), because the client rejects a body that is not.
 */
export type AcceptedEncoding = 'identity' | 'gzip' | 'gzip-only';

/** One element of `Accept-Encoding`: a coding or `*`, with an optional weight from 0 to 1. */
const ELEMENT = /^\s*([^\s;]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** Reads the weight of each coding in `Accept-Encoding`. Malformed elements are ignored. */
const readWeights = (header: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [, coding, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (coding !== undefined) weights.set(coding.toLowerCase(), Number(weight));
  }
  return weights;
};

/**
 * Chooses between a plain body and gzip (RFC 9110, 12.5.3). A client that rejects both gets a plain body.
 * @param header value of `Accept-Encoding`.
 *
 * @example
 * negotiateEncoding('gzip, deflate, br'); // 'gzip'
 * negotiateEncoding('gzip;q=0.5, identity'); // 'identity'
 */
export const negotiateEncoding = (header = ''): AcceptedEncoding => {
  const weights = readWeights(header);
  const others = weights.get('*');
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? others ?? 0;
  // A client that does not mention the plain form accepts it, but prefers what it does mention.
  const identity = weights.get('identity') ?? others;
  if (gzip === 0 || (identity !== undefined && identity > gzip)) return 'identity';
  return identity === 0 ? 'gzip-only' : 'gzip';
};

/** Checks whether a client names Brotli in `Accept-Encoding`, and does not prefer gzip. */
export const prefersBrotli = (header = ''): boolean => {
  const weights = readWeights(header);
  const brotli = weights.get('br') ?? 0;
  return brotli > 0 && brotli >= (weights.get('gzip') ?? 0);
};
