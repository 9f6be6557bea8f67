import type { SendToAws } from '../../exec/aws.ts';
import { Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';

/** An error of S3. */
interface S3Error {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly region: string | null;
}

const ATTEMPTS = 5;

/** Percent-encodes a text by RFC 3986, as signatures require. JavaScript encodes fewer characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the text of an element. */
const decode = (text: string): string =>
  text.replaceAll(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (all, hex?: string, decimal?: string, name = '') => {
    if (hex === undefined && decimal === undefined) return ENTITIES[name] ?? all;
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });

/** Returns the text of the first element of a name. */
export const textOf = (xml: string, name: string): string | undefined => {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text === undefined ? undefined : decode(text);
};

const readError = async (response: Response): Promise<S3Error> => {
  const xml = await response.text().catch(() => '');
  return {
    status: response.status,
    code: textOf(xml, 'Code') ?? '',
    message: textOf(xml, 'Message') ?? '',
    region: response.headers.get('x-amz-bucket-region') ?? textOf(xml, 'Region') ?? null,
  };
};

/** Whether the same request may succeed later. A conditional write meets a 409 while another one is under way. */
const isTransient = ({ status, code }: S3Error): boolean =>
  status === 429 || (status >= 500 && status !== 501) || code === 'ConditionalRequestConflict';

/** Returns the region of the AWS configuration. @throws Failure `usage` if there is none. */
export const regionOf = async ({ env }: Io, configured: () => Promise<string>): Promise<string> => {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (named) return named;
  return configured().catch((cause: unknown) => {
    throw new Failure('usage', 'No AWS region is named.', { hint: 'Set AWS_REGION to that of the bucket.', cause });
  });
};

/** Converts an error that occurred before a response. */
export const toFailure = (error: unknown, place: string): Failure => {
  const { name, message } = error as Error;
  if (name === 'CredentialsProviderError') {
    const hint = 'Set AWS_PROFILE, or the variables with the keys.';
    return new Failure('notAuthenticated', 'There are no AWS credentials.', { hint, cause: error });
  }
  return new Failure('failed', `${place} does not respond. ${message}.`, { cause: error });
};

/**
 * Sends a request until it has a response that counts.
 * @param key empty for the bucket itself.
 * @param accepted statuses of errors that are returned.
 * @throws Failure.
 */
export type SendToBucket = (
  method: 'GET' | 'PUT' | 'DELETE',
  key: string,
  query: Readonly<Record<string, string>>,
  accepted: readonly number[],
  content?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: Uint8Array },
) => Promise<Response>;

/** A bucket and its place. */
export interface BucketAddress {
  readonly name: string;
  readonly region: string;
  /** Domain of AWS in the region, where no other endpoint is configured. */
  readonly domain: string;
}

/** Opens requests to a bucket, which are repeated while S3 is busy or does not respond. */
export const openRequests = (
  { env, signal, wait }: Io,
  send: SendToAws,
  { name, region, domain }: BucketAddress,
): SendToBucket => {
  const endpoint = env['AWS_ENDPOINT_URL_S3'];
  // A certificate of AWS covers one label before its own name, and other servers have no names for buckets.
  const isInPath = Boolean(endpoint) || name.includes('.');
  const host = `${isInPath ? '' : `${name}.`}s3.${region}.${domain}`;
  const base = `${(endpoint || `https://${host}`).replace(/\/$/, '')}/${isInPath ? `${name}/` : ''}`;

  const explain = ({ status, code, message, region: actual }: S3Error, what: string): Failure => {
    const reason = `${what} failed. S3 returned ${status} ${code}: ${message.replace(/\.$/, '')}.`;
    if (actual !== null && actual !== region) {
      return new Failure('rejected', `The bucket ${name} is in ${actual}, not in ${region}.`, {
        hint: `Set AWS_REGION=${actual}.`,
      });
    }
    if (status === 403 || status === 404) {
      const hint = 'See docs/operate/import-from-s3.md for the permissions that the import needs.';
      return new Failure('notFound', reason, { hint, status });
    }
    return new Failure(isTransient({ status, code, message, region }) ? 'failed' : 'rejected', reason, { status });
  };

  return async (method, key, query, accepted, content = {}) => {
    const search = Object.entries(query).map(([member, value]) => `${encode(member)}=${encode(value)}`);
    const path = key.split('/').map(encode).join('/');
    const url = new URL(`${base}${path}${search.length === 0 ? '' : `?${search.join('&')}`}`);
    const what = `${method} of ${key === '' ? name : key}`;
    for (let attempt = 1; ; attempt += 1) {
      let failure: Failure;
      try {
        const response = await send({ service: 's3', region, method, url, ...content }, signal);
        if (response.ok || accepted.includes(response.status)) return response;
        const error = await readError(response);
        failure = explain(error, what);
        if (!isTransient(error)) throw failure;
      } catch (error) {
        signal.throwIfAborted();
        failure = error instanceof Failure ? error : toFailure(error, url.host);
        if (failure.exit !== 'failed') throw failure;
      }
      if (attempt === ATTEMPTS) throw failure;
      await wait(200 * 2 ** attempt, signal);
    }
  };
};
