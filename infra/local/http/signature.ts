import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The parts of a request that a signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** The percent-encoded path, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Returns the value of a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** Secret access keys by access key id. */
export type Secrets = Readonly<Record<string, string>>;

/** The fields of a signature of Signature Version 4. They are in the query or in the Authorization header. */
export interface Signature {
  /** `<access key id>/<day>/<region>/<service>/aws4_request`. */
  readonly credential: string;
  /** Time of the signature, such as `20261121T080000Z`. */
  readonly date: string;
  /** Names of the signed headers, separated by semicolons. */
  readonly signedHeaders: string;
  readonly signature: string;
  /** SHA-256 of the body in hexadecimal digits, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Returns the secret access key of a credential; undefined when the access key id is unknown. */
export const findSecret = (credential: string, secrets: Secrets): string | undefined => {
  const [accessKey = ''] = credential.split('/', 1);
  return Object.hasOwn(secrets, accessKey) ? secrets[accessKey] : undefined;
};

/** Reports whether a signature was made with a secret access key for this request. */
export const matchesSignature = (
  { method, path, query, header }: SignedRequest,
  { credential, date, signedHeaders, signature, payloadHash }: Signature,
  secret: string,
): boolean => {
  const [, ...scope] = credential.split('/');
  const canonical = [
    method,
    // Only S3 signs the path as it was sent. All other services encode it a second time.
    scope[2] === 's3' ? path : encode(path).replaceAll('%2F', '/'),
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${(header(name) ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders,
    payloadHash,
  ].join('\n');
  const text = [ALGORITHM, date, scope.join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = scope.reduce<Buffer | string>(
    (derivedKey, part) => createHmac('sha256', derivedKey).update(part).digest(),
    `AWS4${secret}`,
  );
  return isEqual(createHmac('sha256', key).update(text).digest('hex'), signature);
};

const authorizationHeader =
  /^AWS4-HMAC-SHA256 Credential=(?<credential>[^, ]+), ?SignedHeaders=(?<signedHeaders>[^, ]+), ?Signature=(?<signature>[^, ]+)$/;

/**
 * Reports whether the Authorization header has a valid signature.
 * @param body the body; absent when the request has a header with the hash of its body, as in S3.
 */
export const isSigned = (request: SignedRequest, secrets: Secrets, body?: Buffer): boolean => {
  const fields = authorizationHeader.exec(request.header('authorization') ?? '')?.groups;
  const secret = findSecret(fields?.['credential'] ?? '', secrets);
  if (fields === undefined || secret === undefined) return false;
  const { credential = '', signedHeaders = '', signature = '' } = fields;
  const payloadHash =
    request.header('x-amz-content-sha256') ??
    createHash('sha256')
      .update(body ?? '')
      .digest('hex');
  const date = request.header('x-amz-date') ?? '';
  return matchesSignature(request, { credential, date, signedHeaders, signature, payloadHash }, secret);
};

/** Percent-encodes a text by RFC 3986, as signatures require. JavaScript encodes fewer characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
