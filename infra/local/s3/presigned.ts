import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of a request that a signature covers. */
interface SignedRequest {
  readonly method: string;
  /** The percent-encoded path. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Returns the value of a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** The error that S3 returns for a presigned URL. */
type PresignedUrlError = readonly [
  code: 'AccessDenied' | 'AuthorizationQueryParametersError' | 'SignatureDoesNotMatch',
  text: string,
];

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAX_SECONDS = 7 * 24 * 3_600;
/** Largest difference by which the clock of the signer may be ahead. */
const MAX_SKEW_MILLIS = 5 * 60_000;

/** Reports whether the query contains a signature. */
export const isPresigned = (query: URLSearchParams): boolean => query.has('X-Amz-Signature');

/**
 * Checks a presigned URL (Signature Version 4 in the query).
 * @param secrets secret access keys by access key id.
 * @returns the error of S3; undefined when the URL is valid.
 */
export const checkPresigned = (
  { method, path, query, header }: SignedRequest,
  secrets: Readonly<Record<string, string>>,
  now = Date.now(),
): PresignedUrlError | undefined => {
  const parameter = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  const [accessKey = '', day = '', region = '', service = '', terminator] = parameter('Credential').split('/');
  const seconds = Number(parameter('Expires'));
  const signedAt = parseTime(parameter('Date'));
  if (parameter('Algorithm') !== ALGORITHM || terminator !== 'aws4_request' || signedAt === undefined)
    return ['AuthorizationQueryParametersError', 'The signature in the query is not complete.'];
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    return ['AuthorizationQueryParametersError', 'X-Amz-Expires must be less than a week (in seconds).'];
  if (now > signedAt + seconds * 1_000 || now < signedAt - MAX_SKEW_MILLIS)
    return ['AccessDenied', 'Request has expired'];
  const secret = Object.hasOwn(secrets, accessKey) ? secrets[accessKey] : undefined;
  if (secret === undefined) return ['AccessDenied', 'The access key does not exist'];

  const names = parameter('SignedHeaders').split(';');
  const canonical = [
    method,
    path,
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${(header(name) ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const scope = [day, region, service, terminator].join('/');
  const text = [ALGORITHM, parameter('Date'), scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [day, region, service, terminator].reduce<Buffer | string>(
    (derivedKey, part) => createHmac('sha256', derivedKey).update(part).digest(),
    `AWS4${secret}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return isEqual(expected, parameter('Signature'))
    ? undefined
    : ['SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.'];
};

/** Percent-encodes a text by RFC 3986, as signatures require. JavaScript encodes fewer characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Parses a time like `20261121T080000Z`. */
const parseTime = (text: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  return year === undefined
    ? undefined
    : Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
};

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
