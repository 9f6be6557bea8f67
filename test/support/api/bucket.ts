import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '../../../shared/lib/random.ts';

/** Event that S3 sends to the default bus when an object is created. */
export interface ObjectCreated {
  readonly source: 'aws.s3';
  readonly 'detail-type': 'Object Created';
  readonly detail: {
    readonly bucket: { readonly name: string };
    readonly object: { readonly key: string; readonly size: number; readonly 'version-id': string };
  };
}

interface Version {
  readonly id: string;
  /** Undefined for a delete marker. */
  readonly content: Buffer | undefined;
}

/** In-memory bucket with versions and presigned URLs. Its events are kept until `takeEvents`. */
export interface TestBucket {
  readonly name: string;
  readonly endpoint: string;
  /** Returns the events since the last call, in order. */
  readonly takeEvents: () => ObjectCreated[];
  /** Returns the content of the newest version of each object. */
  readonly objects: () => ReadonlyMap<string, Buffer>;
  readonly listVersions: (key: string) => readonly string[];
  /** Makes every request fail with 503, until it is called with false. */
  readonly fail: (isFailing: boolean) => void;
  readonly stop: () => Promise<void>;
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Reports whether a presigned URL has expired. Requests of the SDK are not presigned. */
const isExpired = (query: URLSearchParams): boolean => {
  const [date, seconds] = [query.get('X-Amz-Date'), query.get('X-Amz-Expires')];
  if (date === null || seconds === null) return false;
  const signed = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  return Date.now() > signed + Number(seconds) * 1_000;
};

/** Starts an empty bucket on a local port. */
export const startBucket = async (): Promise<TestBucket> => {
  const name = 'states-of-tests';
  const versions = new Map<string, Version[]>();
  const newest = (key: string): Version | undefined => versions.get(key)?.at(-1);
  let events: ObjectCreated[] = [];
  let isFailing = false;

  /** Returns the object version that a request copies. */
  const copySourceOf = ({
    headers,
  }: IncomingMessage): { readonly key: string; readonly version: string } | undefined => {
    const [, key, version] = /^[^/]+\/(.+)\?versionId=(.+)$/.exec(String(headers['x-amz-copy-source'] ?? '')) ?? [];
    return key === undefined || version === undefined ? undefined : { key, version };
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://bucket');
    const key = decodeURIComponent(pathname.slice(name.length + 2));
    const reject = (status: number, code: string): void => {
      outgoing
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(incoming.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`);
    };
    const content = await bodyOf(incoming);
    if (isFailing) return reject(503, 'SlowDown');
    const isSigned = searchParams.has('X-Amz-Signature');
    if (isExpired(searchParams)) return reject(403, 'AccessDenied');
    // S3 rejects a request that is presigned and has an authorization header.
    if (isSigned && incoming.headers.authorization !== undefined) return reject(400, 'InvalidArgument');
    if (!isSigned && incoming.headers.authorization === undefined) return reject(403, 'AccessDenied');
    if (incoming.method === 'GET' && searchParams.has('versions')) {
      const prefix = searchParams.get('prefix') ?? '';
      const listed = [...versions].flatMap(([of, all]) =>
        of.startsWith(prefix) ? all.map((one) => ({ of, ...one })) : [],
      );
      const elements = listed.map(({ of, id: version, content: held }) => {
        const element = held === undefined ? 'DeleteMarker' : 'Version';
        return `<${element}><Key>${of}</Key><VersionId>${version}</VersionId></${element}>`;
      });
      const xml = `<ListVersionsResult><IsTruncated>false</IsTruncated>${elements.join('')}</ListVersionsResult>`;
      outgoing.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
      return;
    }
    const id = searchParams.get('versionId');
    const all = versions.get(key) ?? [];
    switch (incoming.method) {
      case 'PUT': {
        const source = copySourceOf(incoming);
        const copied = source && versions.get(source.key)?.find((it) => it.id === source.version)?.content;
        if (source && copied === undefined) return reject(404, 'NoSuchVersion');
        const version = { id: base58(12), content: copied ?? content };
        versions.set(key, [...all, version]);
        const object = { key, size: version.content.length, 'version-id': version.id };
        events.push({ source: 'aws.s3', 'detail-type': 'Object Created', detail: { bucket: { name }, object } });
        outgoing
          .writeHead(200, { 'x-amz-version-id': version.id, etag: '"etag"' })
          .end(source && '<CopyObjectResult><ETag>"etag"</ETag></CopyObjectResult>');
        return;
      }
      case 'DELETE':
        versions.set(
          key,
          id === null ? [...all, { id: base58(12), content: undefined }] : all.filter((it) => it.id !== id),
        );
        outgoing.writeHead(204).end();
        return;
      default: {
        const found = id === null ? newest(key) : all.find((it) => it.id === id);
        if (found?.content === undefined) return reject(404, 'NoSuchKey');
        outgoing.writeHead(200, {
          'x-amz-version-id': found.id,
          etag: '"etag"',
          'content-length': found.content.length,
        });
        outgoing.end(incoming.method === 'HEAD' ? undefined : found.content);
      }
    }
  };
  // Idle connections stay open: this process may be too busy to notice in time that one was closed.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => void handle(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    name,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeEvents: () => {
      const taken = events;
      events = [];
      return taken;
    },
    objects: () =>
      new Map(
        [...versions.keys()].flatMap((key) => {
          const content = newest(key)?.content;
          return content === undefined ? [] : [[key, content] as const];
        }),
      ),
    listVersions: (key) => (versions.get(key) ?? []).map(({ id }) => id),
    fail: (failing) => {
      isFailing = failing;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
