import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { closeServer } from '../gateway/close-server.ts';
import { header, isFromThisComputer, LOOPBACK } from '../service/loopback.ts';
import type { BucketStore, ObjectVersion } from './bucket-store.ts';
import { checkPresigned, isPresigned } from './presigned.ts';
import { BodyRefused, uploadBody } from './upload-body.ts';

/** The buckets of the assembly behind S3's protocol, with paths of the form `/bucket/key`. */
export interface BucketServer {
  readonly port: number;
  /** Until then there are none. */
  serve(buckets: ReadonlyMap<string, BucketStore>): void;
  /** Answers a request that came to another port, if it is for one of the buckets. @returns whether it is. */
  divert(request: IncomingMessage, response: ServerResponse): boolean;
  close(): Promise<void>;
}

interface BucketServerOptions {
  /** The port to try first: URLs that were presigned before a restart should lead here after it. */
  readonly port: number;
  /** Secret keys by access key id, for URLs that were presigned. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A refusal by S3's name for it. */
class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** One request, taken apart. */
interface Call {
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
/** S3's limit on a key. */
const LONGEST_KEY_BYTES = 1_024;

export const listenForBuckets = async (options: BucketServerOptions): Promise<BucketServer> => {
  let buckets: ReadonlyMap<string, BucketStore> = new Map();
  const server = createServer((request, response) => void answer(request, response, buckets, options.secrets));
  // A state of 100 MB over a slow line takes its time.
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
    serve: (given) => {
      buckets = given;
    },
    divert: (request, response) => {
      const [, first = ''] = (request.url ?? '').split(/[/?]/);
      const isOurs = buckets.has(first);
      if (isOurs) void answer(request, response, buckets, options.secrets);
      return isOurs;
    },
    close: () => closeServer(server, GRACE_MILLIS),
  };
};

/** Answers one request for a bucket or what is in it. */
const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  buckets: ReadonlyMap<string, BucketStore>,
  secrets: Readonly<Record<string, string>>,
): Promise<void> => {
  response.setHeader('x-amz-request-id', base58(16));
  try {
    const call = callOf(request, response);
    authorize(call, secrets);
    if (call.bucketName === '') {
      if (call.method !== 'GET') throw new Refused(405, 'MethodNotAllowed', 'The specified method is not allowed.');
      const names = [...buckets.keys()].map((name) => `<Bucket>${tag('Name', name)}</Bucket>`).join('');
      sendXml(response, `<ListAllMyBucketsResult><Buckets>${names}</Buckets></ListAllMyBucketsResult>`);
      return;
    }
    const bucket = buckets.get(call.bucketName);
    if (bucket === undefined) throw new Refused(404, 'NoSuchBucket', 'The specified bucket does not exist');
    await (call.key === '' ? onBucket(call, bucket) : onObject(call, bucket));
  } catch (error) {
    fail(request, response, error);
  }
};

const callOf = (request: IncomingMessage, response: ServerResponse): Call => {
  const [path = '/', ...rest] = (request.url ?? '/').split('?');
  const [, bucketName = '', ...parts] = path.split('/');
  let key: string;
  try {
    key = decodeURIComponent(parts.join('/'));
  } catch {
    throw new Refused(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
  if (Buffer.byteLength(key) > LONGEST_KEY_BYTES) throw new Refused(400, 'KeyTooLongError', 'Your key is too long');
  if (key.includes('\0')) throw new Refused(400, 'InvalidURI', "Couldn't parse the specified URI.");
  return {
    request,
    response,
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(rest.join('?')),
    header: (name) => header({ rawHeaders: request.rawHeaders }, name),
    key,
    bucketName,
  };
};

/**
 * A URL that was presigned stands for itself, whatever else the request carries. Other requests must be signed, as
 * nothing here is public; the signature is not checked, as all programs on this computer are trusted, and no page is.
 */
const authorize = (call: Call, secrets: Readonly<Record<string, string>>): void => {
  const sourceIp = (call.request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!isFromThisComputer({ rawHeaders: call.request.rawHeaders, sourceIp }))
    throw new Refused(403, 'AccessDenied', 'Access Denied');
  if (isPresigned(call.query)) {
    const refusal = checkPresigned(call, secrets);
    if (refusal) throw new Refused(refusal[0] === 'AuthorizationQueryParametersError' ? 400 : 403, ...refusal);
  } else if (!/^AWS4-HMAC-SHA256 /.test(call.header('authorization') ?? ''))
    throw new Refused(403, 'AccessDenied', 'Access Denied');
};

const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
  // The client is gone, or the answer has begun: there is nobody to tell.
  if (response.headersSent || response.destroyed || (request.destroyed && !request.complete)) {
    response.destroy();
    return;
  }
  const refusal =
    error instanceof Refused
      ? error
      : error instanceof BodyRefused
        ? new Refused(400, error.code, error.message)
        : undefined;
  if (refusal === undefined) console.error(error);
  const { status, code, message } = refusal ?? new Refused(500, 'InternalError', 'We encountered an internal error.');
  // What was not read of the body would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    request.method === 'HEAD'
      ? undefined
      : `${DECLARATION}<Error>${tag('Code', code)}${tag('Message', message)}</Error>`,
  );
};

const onObject = async (call: Call, bucket: BucketStore): Promise<void> => {
  const { method, query, response } = call;
  for (const unknown of ['uploads', 'uploadId', 'tagging', 'acl', 'attributes', 'retention', 'legal-hold'])
    if (query.has(unknown)) throw new Refused(501, 'NotImplemented', `${unknown} is not served here`);
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
      throw new Refused(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
};

const put = async ({ request, response, query, key, header }: Call, bucket: BucketStore): Promise<void> => {
  // In a presigned URL the headers of S3 stand in the query, a checksum included.
  const sent = (name: string) =>
    header(name) ?? (name.startsWith('x-amz-') ? (query.get(name) ?? undefined) : undefined);
  if (sent('x-amz-copy-source') !== undefined) throw new Refused(501, 'NotImplemented', 'Copies are not served here');
  const contentType = sent('content-type');
  const metadata = metadataOf(request.rawHeaders);
  const version = await bucket.put(
    key,
    uploadBody(request, sent),
    { ...(contentType !== undefined && { contentType }), ...(Object.keys(metadata).length > 0 && { metadata }) },
    (current) => sent('if-none-match') !== '*' || current === undefined || current.isDeleted,
  );
  if (version === undefined)
    throw new Refused(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  response.writeHead(200, { etag: `"${version.etag}"`, 'x-amz-version-id': version.versionId, 'content-length': 0 });
  response.end();
};

const META = 'x-amz-meta-';
const metadataOf = (rawHeaders: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    rawHeaders.flatMap((name, i) =>
      i % 2 === 0 && name.toLowerCase().startsWith(META)
        ? [[name.toLowerCase().slice(META.length), rawHeaders[i + 1] ?? '']]
        : [],
    ),
  );

const get = async ({ method, query, key, response, header: sent }: Call, bucket: BucketStore): Promise<void> => {
  const versionId = query.get('versionId') ?? undefined;
  const version = bucket.find(key, versionId);
  if (version === undefined)
    throw versionId === undefined
      ? new Refused(404, 'NoSuchKey', 'The specified key does not exist.')
      : new Refused(404, 'NoSuchVersion', 'The specified version does not exist.');
  response.setHeader('x-amz-version-id', version.versionId);
  if (version.isDeleted) {
    response.setHeader('x-amz-delete-marker', 'true');
    throw versionId === undefined
      ? new Refused(404, 'NoSuchKey', 'The specified key does not exist.')
      : new Refused(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
  const { first, last, isPart } = rangeOf(sent('range'), version.size);
  for (const [name, value] of Object.entries(version.metadata ?? {})) response.setHeader(META + name, value);
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

const rangeOf = (range: string | undefined, size: number) => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === '' && to === '') return { first: 0, last: size - 1, isPart: false };
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) throw new Refused(416, 'InvalidRange', 'The requested range is not satisfiable');
  return { first, last, isPart: true };
};

const onBucket = async (call: Call, bucket: BucketStore): Promise<void> => {
  const { method, query, response, request } = call;
  if (method === 'HEAD') {
    response.writeHead(200).end();
    return;
  }
  if (method === 'POST' && query.has('delete')) {
    const removed = await removeAll(request, bucket);
    sendXml(response, `<DeleteResult>${removed}</DeleteResult>`);
    return;
  }
  if (method !== 'GET') throw new Refused(405, 'MethodNotAllowed', 'The specified method is not allowed.');
  if (query.has('versions')) sendXml(response, listVersions(call, bucket));
  else if (query.has('versioning'))
    sendXml(response, `<VersioningConfiguration>${tag('Status', 'Enabled')}</VersioningConfiguration>`);
  else if (query.has('location')) sendXml(response, '<LocationConstraint/>');
  else sendXml(response, listObjects(call, bucket));
};

const LARGEST_PAGE = 1_000;

/** What lists have in common: which keys, how many, and how they are spelled. */
const listing = ({ query, bucketName }: Call) => {
  const prefix = query.get('prefix') ?? '';
  const most = Math.min(Number(query.get('max-keys') ?? LARGEST_PAGE), LARGEST_PAGE);
  const spell = (key: string) => (query.get('encoding-type') === 'url' ? encodeURIComponent(key) : key);
  const head = tag('Name', bucketName) + tag('Prefix', spell(prefix)) + tag('MaxKeys', most);
  return { prefix, most, spell, head };
};

const listObjects = (call: Call, bucket: BucketStore): string => {
  const { prefix, most, spell, head } = listing(call);
  if (call.query.has('delimiter') && call.query.get('delimiter') !== '')
    throw new Refused(501, 'NotImplemented', 'Delimiters are not served here');
  const after = call.query.get('continuation-token') ?? call.query.get('start-after') ?? call.query.get('marker') ?? '';
  const seen = new Set<string>();
  const newest = bucket.versions(prefix).filter(({ key }) => !seen.has(key) && seen.add(key));
  const found = newest.filter(({ key, isDeleted }) => !isDeleted && key > after);
  const page = found.slice(0, most);
  const rows = page.map((version) => `<Contents>${tag('Key', spell(version.key))}${rowOf(version)}</Contents>`);
  const isCut = found.length > page.length;
  const next = isCut ? tag('NextContinuationToken', page.at(-1)?.key ?? '') : '';
  return `<ListBucketResult>${head}${tag('KeyCount', page.length)}${tag('IsTruncated', isCut)}${next}${rows.join('')}</ListBucketResult>`;
};

const listVersions = (call: Call, bucket: BucketStore): string => {
  const { prefix, most, spell, head } = listing(call);
  const [afterKey, afterVersion] = [call.query.get('key-marker') ?? '', call.query.get('version-id-marker')];
  const all = bucket.versions(prefix);
  const marked = all.findIndex(({ key, versionId }) => key === afterKey && versionId === afterVersion);
  const found = marked >= 0 ? all.slice(marked + 1) : all.filter(({ key }) => key > afterKey);
  const page = found.slice(0, most);
  const isNewest = (version: ObjectVersion) => all.find(({ key }) => key === version.key) === version;
  const rows = page.map((version) => {
    const name = version.isDeleted ? 'DeleteMarker' : 'Version';
    const common =
      tag('Key', spell(version.key)) + tag('VersionId', version.versionId) + tag('IsLatest', isNewest(version));
    return `<${name}>${common}${version.isDeleted ? tag('LastModified', isoTime(version)) : rowOf(version)}</${name}>`;
  });
  const isCut = found.length > page.length;
  const last = page.at(-1);
  const next = isCut && last ? tag('NextKeyMarker', last.key) + tag('NextVersionIdMarker', last.versionId) : '';
  return `<ListVersionsResult>${head}${tag('IsTruncated', isCut)}${next}${rows.join('')}</ListVersionsResult>`;
};

const isoTime = ({ at }: ObjectVersion): string => new Date(at).toISOString();
const rowOf = (version: ObjectVersion): string =>
  tag('LastModified', isoTime(version)) +
  tag('ETag', `"${version.etag}"`) +
  tag('Size', version.size) +
  tag('StorageClass', 'STANDARD');

/** `DeleteObjects`: up to 1,000 at once, each with or without a version. */
const removeAll = async (request: IncomingMessage, bucket: BucketStore): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of uploadBody(request, (name) => header({ rawHeaders: request.rawHeaders }, name)))
    chunks.push(chunk);
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
