import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenForBuckets } from '../../../infra/local/s3/bucket-server.ts';
import { type ObjectVersion, openBucketStore } from '../../../infra/local/s3/bucket-store.ts';
import { openBucket } from '../../../shared/blob/bucket.ts';
import { signedHeaders } from '../../support/local/signed-headers.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';

const Bucket = 'states';

const startWith = async (
  configuration: S3ClientConfig,
  folder = temporaryFolder(),
  port = 0,
  options: { readonly publicUrl?: string; readonly pageOrigins?: readonly string[] } = {},
) => {
  const created: ObjectVersion[] = [];
  const server = await listenForBuckets({ port, secrets: { local: 'local' }, ...options });
  server.serve(new Map([[Bucket, openBucketStore(folder, (version) => created.push(version))]]));
  const origin = `http://127.0.0.1:${server.port}`;
  const client = new S3Client({
    endpoint: origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    ...configuration,
  });
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  const put = (Key: string, Body: string | Buffer, more = {}) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const get = async (Key: string, more = {}) =>
    (await client.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body?.transformToString();
  const signed = (command: PutObjectCommand | GetObjectCommand, expiresIn = 60) =>
    getSignedUrl(client, command as GetObjectCommand, { expiresIn });
  return { server, origin, port: server.port, folder, created, client, put, get, signed, stop: () => server.close() };
};

const start = (folder?: string, port?: number) => startWith({}, folder, port);

const key = 'states/ws-1/1700000000000/sv-1';

describe('S3 emulation, called by the SDK', () => {
  it('copies a version of an object with its content type to a new version of another one', async () => {
    const { put, client, get, created } = await start();
    const { VersionId } = await put(key, 'old', { ContentType: 'text/plain' });
    await put(key, 'new');
    const copy = (CopySource: string) => client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    const copied = await copy(`${Bucket}/${key}?versionId=${VersionId}`);
    expect(copied.CopyObjectResult?.ETag).toBe(`"${createHash('md5').update('old').digest('hex')}"`);
    expect(await get('copy', { VersionId: copied.VersionId })).toBe('old');
    expect((await client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))).ContentType).toBe('text/plain');
    expect(created.at(-1)).toMatchObject({ key: 'copy', size: 3 });
    await expect(copy(`${Bucket}/${key}?versionId=absent`)).rejects.toMatchObject({ name: 'NoSuchVersion' });
    await expect(copy(`${Bucket}/${key}`)).rejects.toMatchObject({ name: 'NotImplemented' });
  });

  it('returns an object with its content type, ETag and version', async () => {
    const { put, client, get } = await start();
    const stored = await put(key, '{"a":1}', { ContentType: 'application/json' });
    expect(stored).toMatchObject({ ETag: `"${createHash('md5').update('{"a":1}').digest('hex')}"` });
    expect(await get(key)).toBe('{"a":1}');
    expect(await client.send(new HeadObjectCommand({ Bucket, Key: key }))).toMatchObject({
      ContentLength: 7,
      ContentType: 'application/json',
      ETag: stored.ETag,
      VersionId: stored.VersionId,
    });
  });

  it('keeps every version, also of simultaneous uploads, and lists the newest first', async () => {
    const { put, get, client } = await start();
    const versions = [];
    for (const text of ['one', 'two', 'three']) versions.push((await put(key, text)).VersionId);
    expect(await get(key)).toBe('three');
    expect(await get(key, { VersionId: versions[0] })).toBe('one');
    await Promise.all(Array.from({ length: 8 }, (_, i) => put(key, `at once ${i}`)));
    const listed = await client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'states/ws-1/' }));
    expect(listed.Versions).toHaveLength(11);
    expect(listed.Versions?.filter(({ IsLatest }) => IsLatest)).toHaveLength(1);
    expect(listed.Versions?.at(-1)?.VersionId).toBe(versions[0]);
  });

  it('deletes an object with a delete marker, and deletes a version permanently', async () => {
    const { put, get, client } = await start();
    const { VersionId } = await put(key, 'kept');
    const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    expect(marker).toMatchObject({ DeleteMarker: true });
    await expect(get(key)).rejects.toMatchObject({ name: 'NoSuchKey' });
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: key }))).rejects.toMatchObject({ name: 'NotFound' });
    expect(await get(key, { VersionId })).toBe('kept');
    await client.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId: marker.VersionId }));
    expect(await get(key)).toBe('kept');
    await client.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId }));
    const { Versions, DeleteMarkers } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    expect([Versions, DeleteMarkers]).toEqual([undefined, undefined]);
    await expect(get(key, { VersionId })).rejects.toMatchObject({ name: 'NoSuchVersion' });
  });

  it('writes an object only if the condition is met, also among uploads at once', async () => {
    const { put, get, client } = await start();
    const first = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => put(key, `first ${i}`, { IfNoneMatch: '*' })),
    );
    expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(put(key, 'second', { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(put(key, 'second', { IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    const { ETag } = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
    await put(key, 'second', { IfMatch: ETag });
    await expect(get(key, { IfMatch: ETag })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    await expect(put(key, 'third', { IfMatch: ETag })).rejects.toMatchObject({ name: 'NoSuchKey' });
    await put(key, 'third', { IfNoneMatch: '*' });
    expect(await get(key)).toBe('third');
  });

  it('returns the start of an object', async () => {
    const { put, get, client } = await start();
    await put(key, '0123456789');
    expect(await get(key, { Range: 'bytes=0-3' })).toBe('0123');
    expect(await get(key, { Range: 'bytes=0-99' })).toBe('0123456789');
    const { ContentRange } = await client.send(new HeadObjectCommand({ Bucket, Key: key, Range: 'bytes=0-3' }));
    expect(ContentRange).toBe('bytes 0-3/10');
    await expect(get(key, { Range: 'bytes=2-3' })).rejects.toMatchObject({ name: 'NotImplemented' });
    await put(key, Buffer.alloc(0));
    await expect(get(key, { Range: 'bytes=0-3' })).rejects.toMatchObject({ name: 'InvalidRange' });
  });

  it('lists objects and versions by prefix in pages', async () => {
    const { put, client } = await start();
    const keys = Array.from({ length: 7 }, (_, i) => `readmes/ws-${i % 2}/cv-${i}`);
    for (const each of [...keys, 'states/a&b <c>/.hidden//x']) await put(each, each);
    const found: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: 'readmes/ws-0', MaxKeys: 3, ContinuationToken }),
      );
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    expect(found).toEqual(keys.filter((each) => each.includes('ws-0')));
    const odd = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'states/' }));
    expect(odd.Contents?.map(({ Key }) => Key)).toEqual(['states/a&b <c>/.hidden//x']);

    let marker: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    const versions: (string | undefined)[] = [];
    do {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, ...marker }));
      versions.push(...(page.Versions ?? []).map(({ Key }) => Key));
      marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    } while (marker.KeyMarker);
    expect(versions).toHaveLength(8);

    for (const Key of keys) await client.send(new DeleteObjectCommand({ Bucket, Key }));
    expect((await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'readmes/' }))).Contents).toBeUndefined();
  });

  it('accepts a chunked upload with its checksum in a trailer', async () => {
    const { client, folder } = await start();
    const file = join(folder, 'source');
    const content = Buffer.alloc(3_000_000, 'abcdefg');
    writeFileSync(file, content);
    await client.send(
      new PutObjectCommand({ Bucket, Key: key, Body: createReadStream(file), ContentLength: content.length }),
    );
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
    const hash = createHash('md5');
    for await (const chunk of Body as Readable) hash.update(chunk);
    expect(hash.digest('hex')).toBe(createHash('md5').update(content).digest('hex'));
  });

  it('rejects content that does not match its digest', async () => {
    const { client, signed } = await startWith({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const damaged = await fetch(await signed(new PutObjectCommand({ Bucket, Key: key })), {
      method: 'PUT',
      headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
      body: 'x',
    });
    expect([damaged.status, await damaged.text()]).toEqual([400, expect.stringContaining('<Code>BadDigest</Code>')]);
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: key }))).rejects.toMatchObject({ name: 'NotFound' });
  });

  it('removes an upload whose client closed the connection', async () => {
    const { signed, folder, created } = await startWith({ requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = await signed(new PutObjectCommand({ Bucket, Key: key }));
    const upload = request(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
    upload.on('error', () => {});
    upload.write(Buffer.alloc(100_000));
    await expect.poll(() => readdirSync(join(folder, '@uploads'))).toHaveLength(1);
    upload.destroy();
    await expect.poll(() => readdirSync(join(folder, '@uploads'))).toEqual([]);
    expect(created).toEqual([]);
  });
});

describe('presigned URL', () => {
  /** By default, the SDK would sign the checksum of an empty body. */
  const start = () => startWith({ requestChecksumCalculation: 'WHEN_REQUIRED' });

  it('lets pages of the web console read, and nobody else (CONSOLE-6)', async () => {
    const page = 'http://127.0.0.1:8080';
    const { signed, put } = await startWith({}, temporaryFolder(), 0, { pageOrigins: [page] });
    await put(key, 'state');
    const send = (url: string, headers: Record<string, string>, method = 'GET') =>
      new Promise<readonly [status: number | undefined, allowed: string | undefined]>((resolve, reject) => {
        request(url, { method, headers: { 'sec-fetch-site': 'same-site', ...headers } }, (response) => {
          response.resume();
          resolve([response.statusCode, response.headers['access-control-allow-origin']]);
        })
          .on('error', reject)
          .end();
      });
    const url = await signed(new GetObjectCommand({ Bucket, Key: key }));
    expect(await send(url, { origin: page })).toEqual([200, page]);
    expect(await send(url.replace(/Signature=\w/, 'Signature=_'), { origin: page })).toEqual([403, page]);
    const rejected = [403, undefined];
    expect(await send(url, { origin: 'http://127.0.0.1:5173' })).toEqual(rejected);
    expect(await send(url, { origin: page, host: 'rebound.example' })).toEqual(rejected);
    expect(await send(url, {})).toEqual(rejected);
    expect(await send(url.split('?')[0] ?? '', { origin: page })).toEqual(rejected);
    expect(await send(await signed(new PutObjectCommand({ Bucket, Key: key })), { origin: page }, 'PUT')).toEqual(
      rejected,
    );
  });

  it('rejects content that differs from its checksum', async () => {
    const { signed } = await startWith({});
    const url = await signed(new PutObjectCommand({ Bucket, Key: key }));
    expect(url).toContain('x-amz-checksum-crc32=AAAAAA');
    const response = await fetch(url, { method: 'PUT', body: 'state' });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('BadDigest')]);
  });

  it('uploads and downloads without credentials, and ignores other credentials', async () => {
    const { signed, get, created } = await start();
    const upload = await signed(new PutObjectCommand({ Bucket, Key: key }));
    expect((await fetch(upload, { method: 'PUT', body: 'state' })).status).toBe(200);
    expect(await get(key)).toBe('state');
    expect(created).toMatchObject([{ key, size: 5 }]);
    const VersionId = created[0]?.versionId;
    const download = await signed(new GetObjectCommand({ Bucket, Key: key, VersionId }));
    const response = await fetch(download, { headers: { authorization: 'Bearer hfu_x' } });
    expect([response.status, await response.text()]).toEqual([200, 'state']);
  });

  it.each<[string, (url: URL) => void]>([
    [
      'for another object',
      (url) => {
        url.pathname += '2';
      },
    ],
    ['with another expiry', (url) => url.searchParams.set('X-Amz-Expires', '9000')],
    [
      'with an unknown access key',
      (url) => url.searchParams.set('X-Amz-Credential', 'x/20261121/us-east-1/s3/aws4_request'),
    ],
  ])('%s is rejected', async (_, change) => {
    const { signed, created } = await start();
    const url = new URL(await signed(new PutObjectCommand({ Bucket, Key: key })));
    change(url);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect(created).toEqual([]);
  });

  it('is valid for one method, and expires', async () => {
    const { signed } = await start();
    const url = await signed(new PutObjectCommand({ Bucket, Key: key }));
    expect((await fetch(url)).status).toBe(403);
    const short = await signed(new PutObjectCommand({ Bucket, Key: key }), 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_100 });
    onTestFinished(() => void vi.useRealTimers());
    const late = await fetch(short, { method: 'PUT', body: 'x' });
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('Request has expired')]);
  });
});

describe('S3 emulation on the port of the API, behind a proxy', () => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const publicUrl = 'https://holdfast.example';

  /** Serves a bucket with one object. `send` requests a path with a Host header, and returns the status. */
  const startBehindProxy = async (options: { readonly publicUrl?: string }) => {
    const { server, put, port } = await startWith({}, temporaryFolder(), 0, options);
    const { VersionId } = await put(key, 'state');
    const api = createServer((incoming, outgoing) => void server.intercept(incoming, outgoing));
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void api.close().closeAllConnections());
    const bucket = openBucket(Bucket, { region: 'us-east-1', credentials }, publicUrl);
    const url = new URL(await bucket.downloadUrl(key, VersionId, 60));
    const send = (host: string, path = url.pathname + url.search, toPort = (api.address() as AddressInfo).port) =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port: toPort, path, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    return { url, port, send };
  };

  it('serves presigned URLs with the public origin, whether the proxy keeps or replaces the Host header', async () => {
    const { url, send } = await startBehindProxy({ publicUrl });
    expect(url.origin).toBe(publicUrl);
    expect(await send('holdfast.example')).toBe(200);
    expect(await send('127.0.0.1:8080')).toBe(200);
  });

  it('rejects presigned URLs with the public origin if they were changed, or on the port of the bucket', async () => {
    const { url, port, send } = await startBehindProxy({ publicUrl });
    expect(await send('holdfast.example', `${url.pathname}2${url.search}`)).toBe(403);
    expect(await send('holdfast.example', url.pathname)).toBe(403);
    expect(await send('holdfast.example', url.pathname + url.search, port)).toBe(403);
  });

  it('rejects presigned URLs of another origin without a public URL', async () => {
    const { send } = await startBehindProxy({});
    expect(await send('holdfast.example')).toBe(403);
    expect(await send('127.0.0.1:8080')).toBe(403);
  });
});

describe('S3 emulation', () => {
  /** Sends a request whose path is not normalized, with a valid signature, and returns the status. */
  const sendSigned = async (port: number, path: string, more: Record<string, string> = {}, method = 'GET') => {
    const headers = await signedHeaders({
      service: 's3',
      host: `127.0.0.1:${port}`,
      path,
      method,
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...more },
    });
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end(method === 'PUT' ? 'x' : undefined);
    });
  };

  it('rejects requests of web pages, and requests with a foreign Host header or without a signature', async () => {
    const { origin, port } = await start();
    const path = `/${Bucket}/x`;
    expect(await sendSigned(port, path)).toBe(404);
    expect(await sendSigned(port, path, { host: 'rebound.example' })).toBe(403);
    expect(await sendSigned(port, path, { origin: 'http://127.0.0.1' })).toBe(403);
    expect(await sendSigned(port, path, { 'sec-fetch-site': 'none' })).toBe(403);
    expect((await fetch(origin + path)).status).toBe(403);
    expect((await fetch(origin + path, { headers: { authorization: 'AWS4-HMAC-SHA256 x' } })).status).toBe(403);
  });

  it.each(['..%2f..%2fescape', '%2e%2e/%2e%2e/escape', '@uploads/x'])(
    'keeps the object %s inside its folder',
    async (path) => {
      const { port, folder } = await start();
      const before = readdirSync(join(folder, '..'));
      expect(await sendSigned(port, `/${Bucket}/${path}`, {}, 'PUT')).toBe(200);
      expect(readdirSync(join(folder, '..')).filter((name) => name === 'escape')).toEqual(
        before.filter((name) => name === 'escape'),
      );
      expect(readdirSync(join(folder, '@uploads'))).toEqual([]);
    },
  );

  it('keeps its objects and its port over a restart, and repeats notifications that were not sent', async () => {
    const first = await start();
    const { VersionId } = await first.put(key, 'kept');
    const url = await first.signed(new GetObjectCommand({ Bucket, Key: key }));
    await first.stop();
    // As if the process had ended after it wrote the object and before it sent the event.
    mkdirSync(join(first.folder, '@announcements'), { recursive: true });
    writeFileSync(join(first.folder, '@announcements', '1-x.json'), JSON.stringify({ key, versionId: VersionId }));
    writeFileSync(join(first.folder, '@announcements', '2-x.json'), JSON.stringify({ key, versionId: '00000009vx' }));

    const second = await start(first.folder, first.port);
    expect(second.port).toBe(first.port);
    expect(await (await fetch(url)).text()).toBe('kept');
    expect(second.created).toMatchObject([{ key, versionId: VersionId }]);
    expect(readdirSync(join(first.folder, '@announcements'))).toEqual([]);

    const third = await start(temporaryFolder(), first.port);
    expect(third.port).not.toBe(first.port);
  });
});
