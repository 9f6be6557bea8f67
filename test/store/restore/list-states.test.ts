import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openObjects } from '../../../functions/admin/bucket.ts';

const workspace = `ws-${'1'.repeat(16)}`;
const id = (number: number): string => `sv-${String(number).repeat(16)}`;
const keyOf = (number: number): string => `states/${workspace}/000000000100${number}/${id(number)}`;
const element = (name: string, key: string, version: string): string =>
  `<${name}><Key>${key}</Key><VersionId>${version}</VersionId></${name}>`;

/** The pages of an S3 bucket, by the marker with which they are requested. */
const pages: Readonly<Record<string, string>> = {
  '': `<IsTruncated>true</IsTruncated><NextKeyMarker>${keyOf(1)}</NextKeyMarker><NextVersionIdMarker>a</NextVersionIdMarker>${element('Version', keyOf(1), 'a')}`,
  [`${keyOf(1)} a`]: `<IsTruncated>false</IsTruncated>${element('DeleteMarker', keyOf(2), 'b')}${element('Version', keyOf(2), 'c')}${element('Version', `states/${workspace}/other`, 'd')}`,
};
const server = createServer((incoming, outgoing) => {
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://bucket');
  const isListing = pathname === '/objects/' && searchParams.has('versions') && incoming.headers.authorization;
  const marker = `${searchParams.get('key-marker') ?? ''} ${searchParams.get('version-id-marker') ?? ''}`.trim();
  const page = searchParams.get('prefix') === `states/${workspace}/` ? pages[marker] : undefined;
  outgoing.writeHead(isListing && page ? 200 : 400).end(`<ListVersionsResult>${page}</ListVersionsResult>`);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

it('lists the object versions of the states of a workspace over all pages, without delete markers and other objects', async () => {
  expect(await openObjects('objects').listStates(workspace)).toEqual([
    { id: id(1), createdAt: 1_001, key: keyOf(1), version: 'a' },
    { id: id(2), createdAt: 1_002, key: keyOf(2), version: 'c' },
  ]);
});
