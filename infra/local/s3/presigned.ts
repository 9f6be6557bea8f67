import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature in a query is checked with. */
interface Signed {
  readonly method: string;
  /** As it was sent, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The value of a header of the request, by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Why a signed URL is refused, by the name that S3 has for it; undefined when it is in force. */
type Verdict = readonly [
  code: 'AccessDenied' | 'AuthorizationQueryParametersError' | 'SignatureDoesNotMatch',
  text: string,
];

const ALGORITHM = 'AWS4-HMAC-SHA256';
const LONGEST_SECONDS = 7 * 24 * 3_600;
/** A signer's clock may be so far ahead. */
const SKEW_MILLIS = 5 * 60_000;

export const isPresigned = (query: URLSearchParams): boolean => query.has('X-Amz-Signature');

/**
 * Checks a presigned URL (Signature Version 4 in the query).
 * @param secrets the secret keys by their access key ids.
 */
export const checkPresigned = (
  { method, path, query, header }: Signed,
  secrets: Readonly<Record<string, string>>,
  now = Date.now(),
): Verdict | undefined => {
  const parameter = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  const [accessKey = '', day = '', region = '', service = '', terminator] = parameter('Credential').split('/');
  const seconds = Number(parameter('Expires'));
  const signedAt = timeOf(parameter('Date'));
  if (parameter('Algorithm') !== ALGORITHM || terminator !== 'aws4_request' || signedAt === undefined)
    return ['AuthorizationQueryParametersError', 'The signature in the query is not complete.'];
  if (!(seconds > 0 && seconds <= LONGEST_SECONDS))
    return ['AuthorizationQueryParametersError', 'X-Amz-Expires must be less than a week (in seconds).'];
  if (now > signedAt + seconds * 1_000 || now < signedAt - SKEW_MILLIS) return ['AccessDenied', 'Request has expired'];
  const secret = Object.hasOwn(secrets, accessKey) ? secrets[accessKey] : undefined;
  if (secret === undefined) return ['AccessDenied', 'The access key is not known here'];

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
    (held, part) => createHmac('sha256', held).update(part).digest(),
    `AWS4${secret}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return isSame(expected, parameter('Signature'))
    ? undefined
    : ['SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.'];
};

/** Percent-encoding as signatures want it: RFC 3986, which leaves fewer characters alone than JavaScript. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `20261121T080000Z` */
const timeOf = (text: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  return year === undefined
    ? undefined
    : Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
};

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
