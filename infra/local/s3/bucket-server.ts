import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { closeServer } from '../http/close-server.ts';
import { isFromLocalProgram, isOnLoopback, LOOPBACK } from '../http/loopback.ts';
import { getHeader } from '../http/request.ts';
import { isSigned, type Secrets } from '../http/signature.ts';
import type { BucketStore, ObjectVersion } from './bucket-store.ts';
import { checkPresigned, isPresigned } from './presigned.ts';
import { InvalidBodyError, uploadBody } from './upload-body.ts';

/** Emulation of S3 with path-style addressing: `/bucket/key`. */
export interface BucketServer {
  readonly port: number;
  /** Sets the buckets. Before this call, no bucket exists. */
  serve(buckets: ReadonlyMap<string, BucketStore>): void;
  /** Handles a request to the port of the API, if the path begins with the name of a bucket. @returns whether it does. */
  intercept(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

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

/** A parsed request. */
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

const GRACE_MILLIS = 1_000;
/** Limit of S3 on a key. */
const MAX_KEY_BYTES = 1_024;

/** Starts the emulation of S3 on the preferred port, or on a free port when the preferred port is in use. */
export const listenForBuckets = async (options: BucketServerOptions): Promise<BucketServer> => {
  let buckets: ReadonlyMap<string, BucketStore> = new Map();
  const { secrets, publicUrl, pageOrigins = [] } = options;
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const server = createServer((request, response) => void handle(request, response, buckets, { secrets, pageOrigins }));
  // Without a limit, because a state of 100 MB takes long over a slow connection.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && options.port !== 0) server.listen(0, LOOPBACK);
      else reject(error);
    });
    server.listen(options.port, LOOPBACK);
  });
  return {
    port: (server.address() as AddressInfo).port,
    serve: (newBuckets) => {
      buckets = newBuckets;
    },
    intercept: (request, response) => {
      const [, first = ''] = (request.url ?? '').split(/[/?]/);
      const isBucket = buckets.has(first);
      if (isBucket) void handle(request, response, buckets, { secrets, publicHost, pageOrigins });
      return isBucket;
    },
    close: () => closeServer(server, GRACE_MILLIS),
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
      if (call.method !== 'GET') throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed.');
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
      throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
};

const put = async (call: S3Request, bucket: BucketStore): Promise<void> => {
  const { request, response, query, key, header } = call;
  // In a presigned URL, the headers of S3 are in the query, also checksums.
  const parameter = (name: string) =>
    header(name) ?? (name.startsWith('x-amz-') ? (query.get(name) ?? undefined) : undefined);
  const copySource = parameter('x-amz-copy-source');
  if (copySource !== undefined) return copy(call, bucket, copySource);
  const contentType = parameter('content-type');
  const metadata = userMetadata(request.rawHeaders);
  const version = await bucket.put(
    key,
    uploadBody(request, parameter),
    { ...(contentType !== undefined && { contentType }), ...(Object.keys(metadata).length > 0 && { metadata }) },
    (current) => parameter('if-none-match') !== '*' || current === undefined || current.isDeleted,
  );
  if (version === undefined)
    throw new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  response.writeHead(200, { etag: `"${version.etag}"`, 'x-amz-version-id': version.versionId, 'content-length': 0 });
  response.end();
};

/** Emulates `CopyObject` within one bucket. The source is `bucket/key`, with `?versionId=` for a version. */
const copy = async ({ response, key, bucketName }: S3Request, bucket: BucketStore, source: string): Promise<void> => {
  const [, sourceBucket, sourceKey = '', versionId] = /^\/?([^/]+)\/([^?]+)(?:\?versionId=(.+))?$/.exec(source) ?? [];
  if (sourceBucket !== bucketName) throw new S3Error(501, 'NotImplemented', 'Copies between buckets are not emulated');
  const found = bucket.find(decodeURIComponent(sourceKey), versionId && decodeURIComponent(versionId));
  if (found === undefined || found.isDeleted) {
    throw versionId === undefined
      ? new S3Error(404, 'NoSuchKey', 'The specified key does not exist.')
      : new S3Error(404, 'NoSuchVersion', 'The specified version does not exist.');
  }
  const { contentType, metadata } = found;
  const version = await bucket.put(key, bucket.read(found, 0, found.size - 1), {
    ...(contentType !== undefined && { contentType }),
    ...(metadata !== undefined && { metadata }),
  });
  if (version === undefined) throw new TypeError('An unconditional copy was not stored');
  response.setHeader('x-amz-version-id', version.versionId);
  const result = `${tag('ETag', `"${version.etag}"`)}${tag('LastModified', isoTime(version))}`;
  sendXml(response, `<CopyObjectResult>${result}</CopyObjectResult>`);
};

const METADATA_PREFIX = 'x-amz-meta-';
const userMetadata = (rawHeaders: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    rawHeaders.flatMap((name, i) =>
      i % 2 === 0 && name.toLowerCase().startsWith(METADATA_PREFIX)
        ? [[name.toLowerCase().slice(METADATA_PREFIX.length), rawHeaders[i + 1] ?? '']]
        : [],
    ),
  );

const get = async ({ method, query, key, response, header }: S3Request, bucket: BucketStore): Promise<void> => {
  const versionId = query.get('versionId') ?? undefined;
  const version = bucket.find(key, versionId);
  if (version === undefined)
    throw versionId === undefined
      ? new S3Error(404, 'NoSuchKey', 'The specified key does not exist.')
      : new S3Error(404, 'NoSuchVersion', 'The specified version does not exist.');
  response.setHeader('x-amz-version-id', version.versionId);
  if (version.isDeleted) {
    response.setHeader('x-amz-delete-marker', 'true');
    throw versionId === undefined
      ? new S3Error(404, 'NoSuchKey', 'The specified key does not exist.')
      : new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
  const { first, last, isPart } = parseRange(header('range'), version.size);
  for (const [name, value] of Object.entries(version.metadata ?? {})) response.setHeader(METADATA_PREFIX + name, value);
  for (const name of ['content-disposition', 'cache-control', 'content-encoding'])
    if (query.has(`response-${name}`)) response.setHeader(name, query.get(`response-${name}`) ?? '');
  response.writeHead(isPart ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-length': last - first + 1,
    'content-type': query.get('response-content-type') ?? version.contentType ?? 'binary/octet-stream',
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.at).toUTCString(),
    ...(isPart && { 'content-range': `bytes ${first}-${last}/${version.size}` }),
  });
  if (method === 'HEAD') response.end();
  else await pipeline(bucket.read(version, first, last), response);
};

const parseRange = (range: string | undefined, size: number) => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === '' && to === '') return { first: 0, last: size - 1, isPart: false };
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
  return { first, last, isPart: true };
};

const onBucket = async (call: S3Request, bucket: BucketStore): Promise<void> => {
  const { method, query, response, request } = call;
  if (method === 'HEAD') {
    response.writeHead(200).end();
    return;
  }
  if (method === 'POST' && query.has('delete')) {
    const removed = await deleteObjects(request, bucket);
    sendXml(response, `<DeleteResult>${removed}</DeleteResult>`);
    return;
  }
  if (method !== 'GET') throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed.');
  if (query.has('versions')) sendXml(response, listVersions(call, bucket));
  else if (query.has('versioning'))
    sendXml(response, `<VersioningConfiguration>${tag('Status', 'Enabled')}</VersioningConfiguration>`);
  else if (query.has('location')) sendXml(response, '<LocationConstraint/>');
  else sendXml(response, listObjects(call, bucket));
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
  const after = call.query.get('continuation-token') ?? call.query.get('start-after') ?? call.query.get('marker') ?? '';
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

/** Emulates `DeleteObjects`: deletes up to 1,000 objects or versions. */
const deleteObjects = async (request: IncomingMessage, bucket: BucketStore): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of uploadBody(request, (name) => getHeader(request, name))) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return [...text.matchAll(/<Object>([\s\S]*?)<\/Object>/g)]
    .map(([, object = '']) => {
      const part = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(object)?.[1];
      const [key, versionId] = [unescapeXml(part('Key') ?? ''), part('VersionId')];
      const removed = bucket.remove(key, versionId);
      const id = versionId === undefined ? '' : tag('VersionId', versionId);
      const marker = removed?.isDeleted
        ? tag('DeleteMarker', true) + tag('DeleteMarkerVersionId', removed.versionId)
        : '';
      return `<Deleted>${tag('Key', key)}${id}${marker}</Deleted>`;
    })
    .join('');
};

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

const sendXml = (response: ServerResponse, content: string): void => {
  const withNamespace = content.replace(/^<(\w+)/, '<$1 xmlns="http://s3.amazonaws.com/doc/2006-03-01/"');
  response.writeHead(200, { 'content-type': 'application/xml' }).end(DECLARATION + withNamespace);
};

const tag = (name: string, value: string | number | boolean): string =>
  `<${name}>${escapeXml(String(value))}</${name}>`;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
const unescapeXml = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|apos|#(\d+)|#x([0-9a-fA-F]+));/g, (entity, decimal, hexadecimal) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    return entity === '&apos;' ? "'" : (Object.entries(entities).find(([, name]) => name === entity)?.[0] ?? entity);
  });
