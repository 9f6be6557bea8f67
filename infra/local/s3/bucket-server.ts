import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { escapeMarkup } from '../common/escape-markup.ts';
import { isFromLocalProgram, isOnLoopback, LOOPBACK } from '../http/loopback.ts';
import { gatewayError, getHeader } from '../http/messages.ts';
import { listen } from '../http/server.ts';
import { isSigned, type Secrets } from '../http/signature.ts';
import type { BucketStore, ObjectVersion } from './bucket-store.ts';
import { checkPresigned, isPresigned } from './presigned.ts';
import { InvalidBodyError, uploadBody } from './upload-body.ts';

interface BucketServerOptions {
  /** The preferred port. With the port of the previous process, presigned URLs stay valid after a restart. */
  readonly port: number;
  /** Secret access keys, with which requests and presigned URLs are signed. */
  readonly secrets: Secrets;
  /** Origin of a proxy in front of the port of the API. Presigned URLs that the functions create start with it. */
  readonly publicUrl?: string | undefined;
  /** Origins of the web console, whose pages may read objects with presigned URLs. */
  readonly pageOrigins?: readonly string[];
}

/** Conditions of the requests to a port. */
interface Access {
  readonly secrets: Secrets;
  /** Host in the URLs of a proxy in front of the port; absent if requests come from this computer only. */
  readonly publicHost?: string | undefined;
  readonly pageOrigins: readonly string[];
}

/** An error with the status and the code of S3. */
class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const notAllowed = () =>
  new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');

interface S3Request {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly key: string;
  readonly bucketName: string;
}

/** Limit of S3 on a key. */
const MAX_KEY_BYTES = 1_024;

/**
 * Starts the emulation of S3 with path-style addressing, `/bucket/key`, on the preferred port, or on a free port when the
 * preferred port is in use.
 */
export const listenForBuckets = async (options: BucketServerOptions) => {
  let buckets: ReadonlyMap<string, BucketStore> = new Map();
  const { secrets, publicUrl, pageOrigins = [] } = options;
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const server = await listen(LOOPBACK, options.port).catch(() => listen(LOOPBACK, 0));
  const start = (request: IncomingMessage, response: ServerResponse, access: Access): true => {
    void handle(request, response, buckets, access);
    return true;
  };
  return {
    port: server.port,
    /** Sets the buckets. Before this call, no bucket exists. */
    serve: (newBuckets: ReadonlyMap<string, BucketStore>): void => {
      buckets = newBuckets;
      server.serve(
        async () => gatewayError('notFound'),
        (request, response) => start(request, response, { secrets, pageOrigins }),
      );
    },
    /** Handles a request to the port of the API, if the path begins with the name of a bucket. @returns whether it does. */
    intercept: (request: IncomingMessage, response: ServerResponse): boolean => {
      const [, first = ''] = (request.url ?? '').split(/[/?]/);
      return buckets.has(first) && start(request, response, { secrets, publicHost, pageOrigins });
    },
    close: server.close,
  };
};

const handle = async (
  request: IncomingMessage,
  response: ServerResponse,
  buckets: ReadonlyMap<string, BucketStore>,
  access: Access,
): Promise<void> => {
  response.setHeader('x-amz-request-id', base58(16));
  try {
    const call = parseRequest(request, response);
    authorize(call, access);
    if (call.bucketName === '') {
      if (call.method !== 'GET') throw notAllowed();
      const names = [...buckets.keys()].map((name) => `<Bucket>${tag('Name', name)}</Bucket>`).join('');
      sendXml(response, `<ListAllMyBucketsResult><Buckets>${names}</Buckets></ListAllMyBucketsResult>`);
      return;
    }
    const bucket = buckets.get(call.bucketName);
    if (bucket === undefined) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    await (call.key === '' ? onBucket(call, bucket) : onObject(call, bucket));
  } catch (error) {
    fail(request, response, error);
  }
};

const parseRequest = (request: IncomingMessage, response: ServerResponse): S3Request => {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  const [, bucketName = '', ...parts] = path.split('/');
  let key: string;
  try {
    key = decodeURIComponent(parts.join('/'));
  } catch {
    throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new S3Error(400, 'KeyTooLongError', 'Your key is too long');
  if (key.includes('\0')) throw new S3Error(400, 'InvalidURI', "Couldn't parse the specified URI.");
  return {
    request,
    response,
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(rest.join('?')),
    header: (name) => getHeader(request, name),
    key,
    bucketName,
  };
};

/** Reports whether the web console reads an object with a presigned URL. */
const isFromConsole = ({ method, query, header }: S3Request, { pageOrigins }: Access): boolean =>
  method === 'GET' && isPresigned(query) && pageOrigins.includes(header('origin') ?? '');

/** Verifies the signature, because no object is public. Requests of web pages other than the console are rejected. */
const authorize = (call: S3Request, access: Access): void => {
  const { secrets, publicHost } = access;
  if (publicHost !== undefined && isPresigned(call.query)) {
    // A proxy may replace the Host header, which the URL signs.
    const header = (name: string) => (name === 'host' ? publicHost : call.header(name));
    if (checkPresigned({ ...call, header }, secrets) === undefined) return;
  }
  const sourceIp = (call.request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const sender = { rawHeaders: call.request.rawHeaders, sourceIp };
  const isPage = isFromConsole(call, access);
  if (!(isPage ? isOnLoopback(sender) : isFromLocalProgram(sender)))
    throw new S3Error(403, 'AccessDenied', 'Access Denied');
  if (isPage) {
    call.response.setHeader('access-control-allow-origin', call.header('origin') ?? '');
    call.response.setHeader('vary', 'Origin');
  }
  if (isPresigned(call.query)) {
    const error = checkPresigned(call, secrets);
    if (error) throw new S3Error(error[0] === 'AuthorizationQueryParametersError' ? 400 : 403, ...error);
  } else if (!isSigned(call, secrets)) throw new S3Error(403, 'AccessDenied', 'Access Denied');
};

const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
  // The client has closed the connection, or the response has begun, so no error can be sent.
  if (response.headersSent || response.destroyed || (request.destroyed && !request.complete)) {
    response.destroy();
    return;
  }
  const s3Error =
    error instanceof S3Error
      ? error
      : error instanceof InvalidBodyError
        ? new S3Error(400, error.code, error.message)
        : undefined;
  if (s3Error === undefined) console.error(error);
  const { status, code, message } = s3Error ?? new S3Error(500, 'InternalError', 'We encountered an internal error.');
  // The unread rest of the body would be parsed as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    request.method === 'HEAD'
      ? undefined
      : `${DECLARATION}<Error>${tag('Code', code)}${tag('Message', message)}</Error>`,
  );
};

const onObject = async (call: S3Request, bucket: BucketStore): Promise<void> => {
  const { method, query, response } = call;
  for (const unsupported of ['uploads', 'uploadId', 'tagging', 'acl', 'attributes', 'retention', 'legal-hold'])
    if (query.has(unsupported)) throw new S3Error(501, 'NotImplemented', `${unsupported} is not emulated`);
  switch (method) {
    case 'PUT':
      return put(call, bucket);
    case 'GET':
    case 'HEAD':
      return get(call, bucket);
    case 'DELETE': {
      const removed = bucket.remove(call.key, query.get('versionId') ?? undefined);
      if (removed) response.setHeader('x-amz-version-id', removed.versionId);
      if (removed?.isDeleted) response.setHeader('x-amz-delete-marker', 'true');
      response.writeHead(204).end();
      return;
    }
    default:
      throw notAllowed();
  }
};

const preconditionFailed = () =>
  new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');

/** Emulates conditional writes: `If-None-Match: *` and `If-Match`. @throws S3Error unless the condition is met. */
const checkCondition = ({ header }: S3Request, newest: ObjectVersion | undefined): void => {
  const existing = newest?.isDeleted === false ? newest : undefined;
  const [match, noneMatch] = [header('if-match'), header('if-none-match')];
  if (noneMatch === '*' && existing !== undefined) throw preconditionFailed();
  if (match === undefined) return;
  if (existing === undefined) throw missing(undefined);
  if (match !== `"${existing.etag}"`) throw preconditionFailed();
};

const put = async (call: S3Request, bucket: BucketStore): Promise<void> => {
  const { request, response, query, key, header } = call;
  // In a presigned URL, the headers of S3 are in the query, also checksums.
  const parameter = (name: string) =>
    header(name) ?? (name.startsWith('x-amz-') ? (query.get(name) ?? undefined) : undefined);
  const copySource = parameter('x-amz-copy-source');
  if (copySource !== undefined) return copy(call, bucket, copySource);
  const check = (newest: ObjectVersion | undefined) => checkCondition(call, newest);
  const version = await bucket.put(key, uploadBody(request, parameter), parameter('content-type'), check);
  response.writeHead(200, { etag: `"${version.etag}"`, 'x-amz-version-id': version.versionId, 'content-length': 0 });
  response.end();
};

/** Emulates `CopyObject` of a version within one bucket. The source is `bucket/key?versionId=…`. */
const copy = async ({ response, key, bucketName }: S3Request, bucket: BucketStore, source: string): Promise<void> => {
  const [, sourceBucket, sourceKey = '', versionId = ''] = /^\/?([^/]+)\/([^?]+)\?versionId=(.+)$/.exec(source) ?? [];
  if (sourceBucket !== bucketName)
    throw new S3Error(501, 'NotImplemented', 'Only copies of a version within a bucket are emulated');
  const found = bucket.find(decodeURIComponent(sourceKey), decodeURIComponent(versionId));
  if (found === undefined || found.isDeleted) throw missing(versionId);
  const version = await bucket.put(key, bucket.read(found), found.contentType);
  response.setHeader('x-amz-version-id', version.versionId);
  const result = `${tag('ETag', `"${version.etag}"`)}${tag('LastModified', isoTime(version))}`;
  sendXml(response, `<CopyObjectResult>${result}</CopyObjectResult>`);
};

/** Creates the error for an object, or a version of it, that does not exist. */
const missing = (versionId: string | undefined): S3Error =>
  versionId === undefined
    ? new S3Error(404, 'NoSuchKey', 'The specified key does not exist.')
    : new S3Error(404, 'NoSuchVersion', 'The specified version does not exist.');

/** Returns how many bytes a request wants from the start. Other ranges are not emulated. */
const lengthOf = ({ header }: S3Request, size: number): number => {
  const range = header('range');
  if (range === undefined) return size;
  const [, last] = /^bytes=0-(\d+)$/.exec(range) ?? [];
  if (last === undefined) throw new S3Error(501, 'NotImplemented', 'Only ranges from the start are emulated');
  if (size === 0) throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
  return Math.min(Number(last) + 1, size);
};

const get = async (call: S3Request, bucket: BucketStore): Promise<void> => {
  const { method, query, key, header, response } = call;
  const versionId = query.get('versionId') ?? undefined;
  const version = bucket.find(key, versionId);
  if (version === undefined) throw missing(versionId);
  response.setHeader('x-amz-version-id', version.versionId);
  if (version.isDeleted) {
    response.setHeader('x-amz-delete-marker', 'true');
    throw versionId === undefined ? missing(versionId) : notAllowed();
  }
  const { size, etag } = version;
  if ((header('if-match') ?? `"${etag}"`) !== `"${etag}"`) throw preconditionFailed();
  const length = lengthOf(call, size);
  response.writeHead(header('range') === undefined ? 200 : 206, {
    'content-length': length,
    ...(header('range') !== undefined && { 'content-range': `bytes 0-${length - 1}/${size}` }),
    'content-type': version.contentType ?? 'binary/octet-stream',
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.at).toUTCString(),
  });
  if (method === 'HEAD') response.end();
  else await pipeline(bucket.read(version, size === 0 ? undefined : length - 1), response);
};

const onBucket = (call: S3Request, bucket: BucketStore): void => {
  const { method, query, response } = call;
  if (method !== 'GET') throw notAllowed();
  sendXml(response, query.has('versions') ? listVersions(call, bucket) : listObjects(call, bucket));
};

const MAX_PAGE_SIZE = 1_000;

/** Reads the parameters that all lists have: prefix, limit and encoding of keys. */
const parseListParameters = ({ query, bucketName }: S3Request) => {
  const prefix = query.get('prefix') ?? '';
  const limit = Math.min(Number(query.get('max-keys') ?? MAX_PAGE_SIZE), MAX_PAGE_SIZE);
  const encodeKey = (key: string) => (query.get('encoding-type') === 'url' ? encodeURIComponent(key) : key);
  const head = tag('Name', bucketName) + tag('Prefix', encodeKey(prefix)) + tag('MaxKeys', limit);
  return { prefix, limit, encodeKey, head };
};

const listObjects = (call: S3Request, bucket: BucketStore): string => {
  const { prefix, limit, encodeKey, head } = parseListParameters(call);
  if (call.query.has('delimiter') && call.query.get('delimiter') !== '')
    throw new S3Error(501, 'NotImplemented', 'Delimiters are not emulated');
  const after = call.query.get('continuation-token') ?? '';
  const seen = new Set<string>();
  const newest = bucket.versions(prefix).filter(({ key }) => !seen.has(key) && seen.add(key));
  const found = newest.filter(({ key, isDeleted }) => !isDeleted && key > after);
  const page = found.slice(0, limit);
  const rows = page.map(
    (version) => `<Contents>${tag('Key', encodeKey(version.key))}${describeVersion(version)}</Contents>`,
  );
  const isTruncated = found.length > page.length;
  const next = isTruncated ? tag('NextContinuationToken', page.at(-1)?.key ?? '') : '';
  return `<ListBucketResult>${head}${tag('KeyCount', page.length)}${tag('IsTruncated', isTruncated)}${next}${rows.join('')}</ListBucketResult>`;
};

const listVersions = (call: S3Request, bucket: BucketStore): string => {
  const { prefix, limit, encodeKey, head } = parseListParameters(call);
  const [afterKey, afterVersion] = [call.query.get('key-marker') ?? '', call.query.get('version-id-marker')];
  const all = bucket.versions(prefix);
  const markerPosition = all.findIndex(({ key, versionId }) => key === afterKey && versionId === afterVersion);
  const found = markerPosition >= 0 ? all.slice(markerPosition + 1) : all.filter(({ key }) => key > afterKey);
  const page = found.slice(0, limit);
  const isNewest = (version: ObjectVersion) => all.find(({ key }) => key === version.key) === version;
  const rows = page.map((version) => {
    const name = version.isDeleted ? 'DeleteMarker' : 'Version';
    const common =
      tag('Key', encodeKey(version.key)) + tag('VersionId', version.versionId) + tag('IsLatest', isNewest(version));
    return `<${name}>${common}${version.isDeleted ? tag('LastModified', isoTime(version)) : describeVersion(version)}</${name}>`;
  });
  const isTruncated = found.length > page.length;
  const last = page.at(-1);
  const next = isTruncated && last ? tag('NextKeyMarker', last.key) + tag('NextVersionIdMarker', last.versionId) : '';
  return `<ListVersionsResult>${head}${tag('IsTruncated', isTruncated)}${next}${rows.join('')}</ListVersionsResult>`;
};

const isoTime = ({ at }: ObjectVersion): string => new Date(at).toISOString();
const describeVersion = (version: ObjectVersion): string =>
  tag('LastModified', isoTime(version)) +
  tag('ETag', `"${version.etag}"`) +
  tag('Size', version.size) +
  tag('StorageClass', 'STANDARD');

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const sendXml = (response: ServerResponse, content: string): void => {
  const withNamespace = content.replace(/^<(\w+)/, '<$1 xmlns="http://s3.amazonaws.com/doc/2006-03-01/"');
  response.writeHead(200, { 'content-type': 'application/xml' }).end(DECLARATION + withNamespace);
};

const tag = (name: string, value: string | number | boolean): string =>
  `<${name}>${escapeMarkup(String(value))}</${name}>`;
