import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SourceVersion } from '../../infra/cli/import/source.ts';
import { readPage } from '../support/docs/pages.ts';
import { collectInventory, downloadAll, stateOf } from '../support/import/inventory.ts';
import { BUCKET, type S3Bed, type SentRequest, startS3Bed } from '../support/import/s3-bed.ts';

let bed: S3Bed;
beforeAll(async () => {
  bed = await startS3Bed();
});
afterAll(() => bed.stop());
beforeEach(() => bed.clear());

const KEY = 'network/terraform.tfstate';
const LOCK = `${KEY}.tflock`;
const ID = `${BUCKET}/${KEY}`;
const md5 = (content: string): string => createHash('md5').update(content).digest('hex');
const inventory = async (address?: string) => collectInventory(await bed.open(address));
const withTable = (): string => `s3://${BUCKET}?dynamodb_table=${bed.table}`;

/** Content of a lock of terraform. */
const foreign = JSON.stringify({
  ID: '1',
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'bob@laptop',
  Version: '1.11.4',
  Created: '2026-11-24T08:00:00Z',
  Path: ID,
});

const xml = (content: string, status = 200): Response => new Response(content, { status });
const error = (status: number, code: string, headers = {}): Response =>
  new Response(`<Error><Code>${code}</Code><Message>No.</Message></Error>`, { status, headers });

describe('the inventory of a bucket', () => {
  test('lists all versions of each state in a bucket, the oldest first, also of other workspaces', async () => {
    const first = await bed.put(KEY, stateOf(1));
    const second = await bed.put(KEY, stateOf(2));
    const third = await bed.put(KEY, stateOf(2, 'l-1', { outputs: { a: 1 } }));
    await bed.put('env:/prod/network/terraform.tfstate', stateOf(7, 'l-7'));
    const { workspaces, versions, notCarried, records } = await inventory();
    expect(workspaces.toSorted()).toEqual(['network', 'network-prod']);
    expect(notCarried).toEqual([]);
    const ofNetwork = versions.filter(({ workspace }) => workspace === 'network');
    expect(ofNetwork.map(({ position, 'is-current': current, origin }) => [position, current, origin.id])).toEqual([
      [1, false, `${KEY}?versionId=${first}`],
      [2, false, `${KEY}?versionId=${second}`],
      [3, true, `${KEY}?versionId=${third}`],
    ]);
    expect(ofNetwork[0]).toEqual({
      workspace: 'network',
      position: 1,
      'is-current': false,
      size: stateOf(1).length,
      origin: { id: `${KEY}?versionId=${first}`, 'created-at': expect.stringMatching(/^2\d{3}-.*Z$/) },
    });
    expect(versions.find(({ workspace }) => workspace === 'network-prod')).toMatchObject({
      serial: 7,
      lineage: 'l-7',
      sha256: createHash('sha256').update(stateOf(7, 'l-7')).digest('hex'),
      md5: md5(stateOf(7, 'l-7')),
    });
    expect(records).toContainEqual([
      'workspaces',
      {
        name: 'network-prod',
        project: null,
        'execution-mode': 'local',
        origin: { id: 'env:/prod/network/terraform.tfstate' },
      },
    ]);
  });

  test('names the bucket as the origin', async () => {
    expect(await bed.open()).toMatchObject({
      origin: { host: BUCKET, organization: null },
      organization: BUCKET,
    });
  });

  test('lists only states below the prefix of the address, with names that begin there, or the state of a whole key', async () => {
    for (const key of [
      'a/net.tfstate',
      'a/terraform.tfstate',
      'ab/x.tfstate',
      'env:/dev/a/net.tfstate',
      'env:/dev/b',
    ]) {
      await bed.put(key, stateOf(1));
    }
    const namesFor = async (prefix: string) => (await inventory(`s3://${BUCKET}/${prefix}`)).workspaces.toSorted();
    expect(await namesFor('a')).toEqual(['a', 'net', 'net-dev']);
    expect(await namesFor('a/')).toEqual(['a', 'net', 'net-dev']);
    expect(await namesFor('a/net.tfstate')).toEqual(['a-net', 'a-net-dev']);
    expect(await namesFor('env:/dev')).toEqual(['a-net-dev', 'b-dev']);
    expect(await namesFor('')).toEqual(['a', 'a-net', 'a-net-dev', 'ab-x', 'b-dev']);
    expect(await namesFor('absent')).toEqual([]);
  });

  test('lists the workspaces below another prefix of workspaces that the address names', async () => {
    await bed.put('states/prod/net.tfstate', stateOf(1));
    const { workspaces } = await inventory(`s3://${BUCKET}?workspace_key_prefix=states`);
    expect(workspaces).toEqual(['net-prod']);
  });

  test('refuses two keys that lead to one name, and names both', async () => {
    await bed.put('network-prod.tfstate', stateOf(1));
    await bed.put('env:/prod/network.tfstate', stateOf(1));
    await bed.put('other.tfstate', stateOf(1));
    const { workspaces, notCarried } = await inventory();
    expect(workspaces).toEqual(['other']);
    expect(notCarried.map(({ name, reason }) => [name, reason])).toEqual([
      ['env:/prod/network.tfstate', 'not-supported'],
      ['network-prod.tfstate', 'not-supported'],
    ]);
    expect(notCarried[0]?.detail).toContain(
      'env:/prod/network.tfstate and network-prod.tfstate lead to the same workspace, network-prod.',
    );
  });

  test('reports a deleted state, and carries one that was created again without its deletion', async () => {
    await bed.put('old.tfstate', stateOf(1));
    await bed.put('old.tfstate', stateOf(2));
    await bed.remove('old.tfstate');
    await bed.put(KEY, stateOf(1));
    await bed.remove(KEY);
    await bed.put(KEY, stateOf(2));
    const { workspaces, versions, notCarried } = await inventory();
    expect(workspaces).toEqual(['network']);
    expect(versions.map(({ position }) => position)).toEqual([1, 2]);
    expect(notCarried).toEqual([
      {
        type: 'state-versions',
        name: KEY,
        reason: 'no-content',
        count: 1,
        detail: expect.stringContaining('deleted at'),
      },
      {
        type: 'states',
        name: 'old.tfstate',
        reason: 'no-content',
        count: 3,
        detail: expect.stringMatching(/deleted at .* Its 3 versions stay in the bucket\.$/),
      },
    ]);
  });

  test('reports each object that is no state by its name, and others together', async () => {
    await bed.put('broken.tfstate', stateOf(1).slice(0, -3));
    await bed.put('empty.tfstate', '');
    await bed.put('large-and-foreign.tfstate', `{"a":"${'x'.repeat(70_000)}"}`);
    await bed.put('../dots.tfstate', stateOf(1));
    await bed.put('README.md', '# States');
    await bed.put('lambda.zip', 'PK');
    await bed.put('folder/', '');
    await bed.put('without-ending', stateOf(1));
    await bed.put('large.tfstate', stateOf(1, 'l-1', { resources: ['x'.repeat(70_000)] }));
    const encrypted = { serial: 1, lineage: 'l', meta: {}, encrypted_data: 'x'.repeat(70_000) };
    await bed.put('encrypted.tfstate', JSON.stringify(encrypted));
    const { workspaces, notCarried } = await inventory();
    expect(workspaces.toSorted()).toEqual(['encrypted', 'large', 'without-ending']);
    expect(notCarried.map(({ type, name, reason, count = 1 }) => [type, name, reason, count])).toEqual([
      ['states', '../dots.tfstate', 'not-supported', 1],
      ['objects', `${BUCKET}/`, 'not-supported', 2],
      ['states', 'broken.tfstate', 'not-supported', 1],
      ['states', 'empty.tfstate', 'no-content', 1],
      ['states', 'large-and-foreign.tfstate', 'not-supported', 1],
    ]);
    expect(notCarried[1]?.detail).toContain('README.md, lambda.zip');
  });

  test('reports versions that are too large, empty or archived, and goes on with the others', async () => {
    const version = (id: string, size: number, storageClass = 'STANDARD') =>
      `<Version><Key>a &amp; b.tfstate</Key><VersionId>${id}</VersionId><IsLatest>${id === '5'}</IsLatest><LastModified>2026-11-24T08:00:0${id}.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>${size}</Size><StorageClass>${storageClass}</StorageClass></Version>`;
    const list = [
      version('5', 80_000),
      version('4', 101 * 2 ** 20),
      version('3', 0),
      version('2', 9, 'GLACIER'),
      version('1', 9),
    ];
    const requested: string[] = [];
    const source = await bed.open(undefined, ({ url, headers }) => {
      if (!url.pathname.endsWith('.tfstate')) {
        return xml(`<ListVersionsResult><IsTruncated>false</IsTruncated>${list.join('')}</ListVersionsResult>`);
      }
      requested.push(`${decodeURIComponent(url.pathname)}${url.search} ${headers['range']}`);
      return xml(stateOf(5).padEnd(2 ** 16), 206);
    });
    const { workspaces, versions, notCarried } = await collectInventory(source);
    expect(workspaces).toEqual(['a-b']);
    expect(versions.map(({ position, origin }) => [position, origin.id])).toEqual([
      [1, 'a & b.tfstate?versionId=1'],
      [2, 'a & b.tfstate?versionId=5'],
    ]);
    expect(notCarried.map(({ reason, count, detail }) => [reason, count, detail]).toSorted()).toEqual([
      ['no-content', 1, 'It is empty.'],
      ['not-supported', 2, expect.stringContaining('100 MiB')],
    ]);
    expect(requested).toEqual([`/${BUCKET}/a & b.tfstate?versionId=5 bytes=0-65535`]);
  });

  test('is read page by page, and of the current versions alone where there are no others', async () => {
    await bed.put('a.tfstate', stateOf(1));
    await bed.put('b.tfstate', stateOf(1));
    const queries: string[] = [];
    const item = (key: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-11-24T08:00:00.000Z</LastModified><ETag>&quot;${md5(stateOf(1))}&quot;</ETag><Size>${stateOf(1).length}</Size></Contents>`;
    const source = await bed.open(undefined, ({ url: { pathname, searchParams: query } }) => {
      if (pathname !== `/${BUCKET}/`) return undefined;
      if (query.has('versions')) return error(501, 'NotImplemented');
      queries.push(query.get('continuation-token') ?? 'first');
      const isLast = query.has('continuation-token');
      const more = isLast ? '' : '<NextContinuationToken>a/b+c=</NextContinuationToken>';
      return xml(
        `<ListBucketResult><IsTruncated>${!isLast}</IsTruncated>${more}${item(isLast ? 'b.tfstate' : 'a.tfstate')}</ListBucketResult>`,
      );
    });
    const { versions, notCarried } = await collectInventory(source);
    expect(queries).toEqual(['first', 'a/b+c=']);
    expect(notCarried).toMatchObject([{ type: 'object-versions', name: `${BUCKET}/`, reason: 'not-offered' }]);
    const ids = versions.map(({ origin }) => origin.id);
    expect(ids.toSorted()).toEqual([
      `a.tfstate?versionId=null&etag=${md5(stateOf(1))}`,
      `b.tfstate?versionId=null&etag=${md5(stateOf(1))}`,
    ]);
    const first = versions[ids.indexOf(`a.tfstate?versionId=null&etag=${md5(stateOf(1))}`)] ?? ({} as SourceVersion);
    expect(await downloadAll(source, first)).toBe(stateOf(1));
    await bed.put('a.tfstate', stateOf(2));
    await expect(downloadAll(source, first)).rejects.toMatchObject({ exit: 'conflict' });
  });

  test('joins the versions of a state from several pages, also where delete markers follow all versions', async () => {
    const entry = (element: string, key: string, id: string, isLatest = false) =>
      `<${element}><Key>${key}</Key><VersionId>${id}</VersionId><IsLatest>${isLatest}</IsLatest><LastModified>2026-11-24T08:00:00.000Z</LastModified><ETag>"e"</ETag><Size>${stateOf(1).length}</Size></${element}>`;
    const page = (content: string, next = '') =>
      xml(
        `<ListVersionsResult><IsTruncated>${next !== ''}</IsTruncated>${next && `<NextKeyMarker>${next}</NextKeyMarker><NextVersionIdMarker>2</NextVersionIdMarker>`}${content}</ListVersionsResult>`,
      );
    const markers: (string | null)[] = [];
    const source = await bed.open(undefined, ({ url: { pathname, searchParams: query } }) => {
      if (pathname !== `/${BUCKET}/`) return xml(stateOf(1));
      markers.push(query.get('key-marker'), query.get('version-id-marker'));
      if (query.has('key-marker')) return page(entry('Version', 'b.tfstate', '1'));
      const versions = [
        ['a.tfstate', '1'],
        ['b.tfstate', '3', true],
        ['b.tfstate', '2'],
      ] as const;
      const listed = versions.map(([key, id, isLatest]) => entry('Version', key, id, isLatest)).join('');
      return page(listed + entry('DeleteMarker', 'a.tfstate', '2', true), 'b.tfstate');
    });
    const { versions, notCarried } = await collectInventory(source);
    expect(markers).toEqual([null, null, 'b.tfstate', '2']);
    expect(versions.map(({ position, origin }) => [position, origin.id])).toEqual([
      [1, 'b.tfstate?versionId=1'],
      [2, 'b.tfstate?versionId=2'],
      [3, 'b.tfstate?versionId=3'],
    ]);
    expect(notCarried).toMatchObject([{ type: 'states', name: 'a.tfstate', reason: 'no-content', count: 2 }]);
  });

  test('sends nothing but GET and GetItem', async () => {
    await bed.put(KEY, stateOf(1));
    const sent = new Set<string>();
    const source = await bed.open(withTable(), ({ method, headers }) => {
      sent.add(headers['x-amz-target'] ?? method);
      return undefined;
    });
    await collectInventory(source);
    expect([...sent].toSorted()).toEqual(['DynamoDB_20120810.GetItem', 'GET']);
  });

  test('is refused while terraform holds a lock of an included state, in the bucket or in the table', async () => {
    await bed.put(KEY, stateOf(1));
    await bed.put('other.tfstate', stateOf(1));
    const message = `Locked at the source: ${KEY} by bob@laptop since 2026-11-24T08:00:00Z for OperationTypeApply.`;
    await bed.put(LOCK, foreign);
    await expect(inventory()).rejects.toMatchObject({ exit: 'conflict', message });
    expect((await collectInventory(await bed.open(), (name) => name === 'other')).workspaces).toEqual(['other']);
    await bed.remove(LOCK);
    expect((await inventory()).workspaces.toSorted()).toEqual(['network', 'other']);
    await bed.putItem({ LockID: `${ID}-md5`, Digest: '0' });
    expect((await inventory(withTable())).workspaces).toHaveLength(2);
    await bed.putItem({ LockID: ID, Info: foreign });
    await expect(inventory(withTable())).rejects.toMatchObject({ exit: 'conflict', message });
  });
});

describe('a version in a bucket', () => {
  test('is downloaded byte for byte, also if it is not the current one', async () => {
    const odd = `${stateOf(1)}\n\n `;
    await bed.put("ä ö+(1)*'!&.tfstate", odd);
    await bed.put("ä ö+(1)*'!&.tfstate", stateOf(2));
    const source = await bed.open();
    const { versions } = await collectInventory(source);
    const contents = await Promise.all(versions.map((version) => downloadAll(source, version)));
    expect(contents).toEqual([odd, stateOf(2)]);
  });

  test('is refused if a part of it is missing, or if it does not exist any more', async () => {
    await bed.put(KEY, stateOf(1));
    const [version = {} as SourceVersion] = (await inventory()).versions;
    const cut = await bed.open(undefined, ({ url }) =>
      url.searchParams.has('versionId') ? xml(stateOf(1).slice(0, -1)) : undefined,
    );
    await expect(downloadAll(cut, version)).rejects.toMatchObject({
      exit: 'failed',
      message: expect.stringContaining('is not complete'),
    });
    const broken = await bed.open(undefined, () => {
      const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
      return new Response(body);
    });
    await expect(downloadAll(broken, version)).rejects.toMatchObject({ exit: 'failed' });
    await bed.clear();
    await expect(downloadAll(await bed.open(), version)).rejects.toMatchObject({ exit: 'conflict' });
  });
});

describe('the locks of a bucket', () => {
  const reason = 'import imp-1';

  test('are those of terraform, and are kept and released by their reason', async () => {
    await bed.put(KEY, stateOf(1));
    const { locks } = await bed.open();
    await locks?.acquire('network', reason);
    const text = (await bed.read(LOCK)) ?? '';
    expect(JSON.parse(text)).toEqual({
      ID: expect.stringMatching(/^\w{22}$/),
      Operation: 'holdfast import',
      Info: reason,
      Who: `ada@${hostname()}`,
      Version: '',
      Created: expect.stringMatching(/^2\d{3}-.*Z$/),
      Path: ID,
    });
    const later = await bed.open();
    await later.locks?.acquire('network', reason);
    expect(await bed.read(LOCK)).toBe(text);
    await expect(later.locks?.acquire('network', 'import imp-2')).rejects.toMatchObject({ exit: 'conflict' });
    await later.locks?.release('network', 'import imp-2');
    expect(await bed.read(LOCK)).toBe(text);
    expect((await inventory()).workspaces).toEqual(['network']);
    await later.locks?.release('network', reason);
    expect(await bed.keys()).toEqual([KEY]);
    await later.locks?.release('network', reason);
  });

  test('are not taken from terraform, and are never forced', async () => {
    await bed.put(KEY, stateOf(1));
    await bed.put(LOCK, foreign);
    const { locks } = await bed.open();
    await expect(locks?.acquire('network', reason)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining('by bob@laptop'),
    });
    await locks?.release('network', reason);
    expect(await bed.read(LOCK)).toBe(foreign);
    await expect(locks?.acquire('absent', reason)).rejects.toMatchObject({ exit: 'conflict' });
  });

  test('are in the table, too, and are taken as a whole or not at all', async () => {
    await bed.put(KEY, stateOf(1));
    const { locks } = await bed.open(withTable());
    await locks?.acquire('network', reason);
    expect(await bed.readItem(ID)).toEqual({ LockID: ID, Info: await bed.read(LOCK) });
    await (await bed.open(withTable())).locks?.acquire('network', reason);
    expect((await inventory(withTable())).workspaces).toEqual(['network']);
    await locks?.release('network', reason);
    expect([await bed.readItem(ID), await bed.keys()]).toEqual([undefined, [KEY]]);

    await bed.putItem({ LockID: ID, Info: foreign });
    await expect(locks?.acquire('network', reason)).rejects.toMatchObject({ exit: 'conflict' });
    expect(await bed.keys()).toEqual([KEY]);
    await locks?.release('network', reason);
    expect(await bed.readItem(ID)).toMatchObject({ Info: foreign });
  });

  test('are taken by one of several imports at once', async () => {
    await bed.put(KEY, stateOf(1));
    const { locks } = await bed.open();
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map((number) => locks?.acquire('network', `import ${number}`)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a state that is written back to a bucket', () => {
  const push = async (content: string, address?: string) =>
    (await bed.open(address)).push('network', Buffer.from(content));

  test('becomes a new version under a lock, which is released', async () => {
    await bed.put(KEY, stateOf(1));
    await push(stateOf(2));
    expect(await bed.read(KEY)).toBe(stateOf(2));
    expect(await bed.keys()).toEqual([KEY]);
    expect((await inventory()).versions).toHaveLength(2);
    await push(stateOf(2));
    expect((await inventory()).versions).toHaveLength(2);
  });

  test('is refused if the present one is as new or another one, or is locked or deleted', async () => {
    await bed.put(KEY, stateOf(3));
    await expect(push(stateOf(3, 'l-1', { outputs: {}, a: 1 }))).rejects.toMatchObject({ exit: 'conflict' });
    await expect(push(stateOf(4, 'l-2'))).rejects.toMatchObject({ exit: 'conflict' });
    await bed.put(LOCK, foreign);
    await expect(push(stateOf(4))).rejects.toMatchObject({ exit: 'conflict' });
    expect(await bed.read(KEY)).toBe(stateOf(3));
    expect(await bed.read(LOCK)).toBe(foreign);
    await bed.remove(KEY);
    await expect(push(stateOf(4))).rejects.toMatchObject({ exit: 'conflict' });
  });

  test('replaces no state that was written meanwhile', async () => {
    await bed.put(KEY, stateOf(1));
    const source = await bed.open(undefined, async ({ method, url }) => {
      if (method === 'PUT' && url.pathname.endsWith('.tfstate')) await bed.put(KEY, stateOf(9));
      return undefined;
    });
    await expect(source.push('network', Buffer.from(stateOf(2)))).rejects.toMatchObject({
      exit: 'conflict',
      message: `${KEY} has changed meanwhile. Nothing was written.`,
    });
    expect(await bed.read(KEY)).toBe(stateOf(9));
    expect(await bed.keys()).toEqual([KEY]);
  });

  test('is written once if the response is lost, and keeps the lock that the import holds', async () => {
    await bed.put(KEY, stateOf(1));
    let lost = 1;
    const source = await bed.open(undefined, async ({ method, url }) => {
      if (method !== 'PUT' || !url.pathname.endsWith('.tfstate') || lost === 0) return undefined;
      lost -= 1;
      await bed.put(KEY, stateOf(2));
      throw new TypeError('fetch failed');
    });
    await source.locks?.acquire('network', 'import imp-1');
    await source.push('network', Buffer.from(stateOf(2)));
    expect(await bed.read(KEY)).toBe(stateOf(2));
    expect(await bed.keys()).toEqual([KEY, LOCK]);
  });

  test('stores the digest of a pushed state in the table, without which terraform refuses to read it', async () => {
    await bed.put(KEY, stateOf(1));
    await push(stateOf(2), withTable());
    expect(await bed.readItem(`${ID}-md5`)).toEqual({ LockID: `${ID}-md5`, Digest: md5(stateOf(2)) });
    expect(await bed.readItem(ID)).toBeUndefined();
    // As if the process had ended after it wrote the state.
    await bed.putItem({ LockID: `${ID}-md5`, Digest: md5(stateOf(1)) });
    await push(stateOf(2), withTable());
    expect(await bed.readItem(`${ID}-md5`)).toMatchObject({ Digest: md5(stateOf(2)) });
  });

  test('is encrypted as the present one', async () => {
    await bed.put(KEY, stateOf(1));
    const sent: Readonly<Record<string, string>>[] = [];
    const source = await bed.open(undefined, ({ method, url, headers }) => {
      if (!url.pathname.endsWith('.tfstate')) return undefined;
      if (method === 'PUT') sent.push(headers);
      return new Response(stateOf(1), {
        headers: {
          etag: '"e"',
          'x-amz-server-side-encryption': 'aws:kms',
          'x-amz-server-side-encryption-aws-kms-key-id': 'arn:key',
        },
      });
    });
    await source.push('network', Buffer.from(stateOf(2)));
    expect(sent).toMatchObject([
      {
        'if-match': '"e"',
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'arn:key',
        'content-md5': createHash('md5').update(stateOf(2)).digest('base64'),
      },
    ]);
  });
});

describe('the policy of the guide', () => {
  interface Statement {
    readonly Action: string | readonly string[];
    readonly Resource: string;
  }
  const [, json = ''] = /<!-- s3-policy -->\n```json\n(.*?)```/s.exec(readPage('docs/operate/import-from-s3.md')) ?? [];
  const { Statement: statements } = JSON.parse(json) as { readonly Statement: readonly Statement[] };
  const readOnly = statements.slice(0, 3);

  /** Returns the permission that a request needs. */
  const toPermission = ({ method, url, headers }: SentRequest) => {
    const operation = headers['x-amz-target']?.split('.')[1];
    if (operation !== undefined) {
      return {
        action: `dynamodb:${operation}`,
        resource: 'arn:aws:dynamodb:eu-west-1:111122223333:table/terraform-locks',
      };
    }
    const key = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
    if (key === '') {
      const action = url.searchParams.has('versions') ? 's3:ListBucketVersions' : 's3:ListBucket';
      return { action, resource: `arn:aws:s3:::${BUCKET}` };
    }
    const version = url.searchParams.has('versionId') ? 'Version' : '';
    const action = { GET: `s3:GetObject${version}`, PUT: 's3:PutObject', DELETE: 's3:DeleteObject' }[method] ?? method;
    return { action, resource: `arn:aws:s3:::${BUCKET}/${key}` };
  };
  type Permission = ReturnType<typeof toPermission>;
  const isAllowed = (by: readonly Statement[], { action, resource }: Permission): boolean =>
    by.some(
      ({ Action, Resource }) =>
        [Action].flat().includes(action) &&
        (Resource.endsWith('*') ? resource.startsWith(Resource.slice(0, -1)) : resource === Resource),
    );

  test('allows everything that an import, a cutover and a rollback request, and nothing else', async () => {
    await bed.put(KEY, stateOf(1));
    await bed.put(KEY, stateOf(2));
    await bed.put('other.tfstate', stateOf(1));
    const sent: Permission[] = [];
    const source = await bed.open(withTable(), (request) => {
      sent.push(toPermission(request));
      return undefined;
    });
    const { versions } = await collectInventory(source);
    for (const version of versions) await downloadAll(source, version);
    expect(sent.filter((permission) => !isAllowed(readOnly, permission))).toEqual([]);
    await source.locks?.acquire('network', 'import imp-1');
    await source.push('network', Buffer.from(stateOf(3)));
    await source.locks?.release('network', 'import imp-1');
    expect(sent.filter((permission) => !isAllowed(statements, permission))).toEqual([]);
    const allowed = new Set(statements.flatMap(({ Action }) => Action));
    for (const { action } of sent) allowed.delete(action);
    // It is for buckets whose versions cannot be listed. S3 also returns 403 in place of 404 without it.
    expect([...allowed]).toEqual(['s3:ListBucket']);
  });
});

describe('requests to S3', () => {
  test('are repeated while S3 is busy or does not respond', async () => {
    await bed.put(KEY, stateOf(1));
    let requests = 0;
    const source = await bed.open(undefined, () => {
      requests += 1;
      if (requests % 3 === 1) return error(503, 'SlowDown');
      if (requests % 3 === 2) throw new TypeError('fetch failed');
      return undefined;
    });
    expect((await collectInventory(source)).workspaces).toEqual(['network']);
    const busy = await bed.open(undefined, () => error(503, 'SlowDown'));
    await expect(collectInventory(busy)).rejects.toMatchObject({ exit: 'failed' });
  });

  test('name the region of the bucket if another one is configured', async () => {
    const source = await bed.open(undefined, () =>
      error(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-north-1' }),
    );
    await expect(collectInventory(source)).rejects.toMatchObject({
      exit: 'rejected',
      message: `The bucket ${BUCKET} is in eu-north-1, not in eu-west-1.`,
    });
  });

  test('name what the caller may not do, and a bucket or table that does not exist', async () => {
    const denied = await bed.open(undefined, () => error(403, 'AccessDenied'));
    await expect(collectInventory(denied)).rejects.toMatchObject({
      exit: 'notFound',
      message: `GET of ${BUCKET} failed. S3 returned 403 AccessDenied: No.`,
    });
    await expect(inventory('s3://absent')).rejects.toMatchObject({ exit: 'notFound' });
    await bed.put(KEY, stateOf(1));
    await expect(inventory(`s3://${BUCKET}?dynamodb_table=absent`)).rejects.toMatchObject({
      exit: 'notFound',
      message: expect.stringContaining('GetItem on the table absent failed. ResourceNotFoundException'),
    });
  });

  test('report that only the states of the default workspace may be listed', async () => {
    await bed.put('a/net.tfstate', stateOf(1));
    const source = await bed.open(`s3://${BUCKET}/a`, ({ url }) =>
      url.searchParams.get('prefix') === 'env:/' ? error(403, 'AccessDenied') : undefined,
    );
    const { workspaces, notCarried } = await collectInventory(source);
    expect(workspaces).toEqual(['net']);
    expect(notCarried).toContainEqual(
      expect.objectContaining({ type: 'states', name: `${BUCKET}/env:/`, reason: 'not-permitted' }),
    );
  });

  test('go to the host of the bucket in AWS, and to its path if its name has a dot', async () => {
    const hosts: string[] = [];
    const open = (address: string) =>
      bed.open(
        address,
        ({ url }) => {
          hosts.push(url.origin + url.pathname);
          return xml('<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>');
        },
        { AWS_ENDPOINT_URL_S3: undefined },
      );
    await collectInventory(await open('s3://acme-states'));
    await collectInventory(await open('s3://states.acme.example'));
    expect(hosts).toEqual([
      'https://acme-states.s3.eu-west-1.amazonaws.com/',
      'https://s3.eu-west-1.amazonaws.com/states.acme.example/',
    ]);
  });

  test.each([
    ['s3://', '"" is not the name of a bucket.'],
    ['s3://a b/c', '"a b" is not the name of a bucket.'],
    [`s3://${BUCKET}?region=x`, 'An address of S3 has no parameter "region".'],
    [`s3://${BUCKET}?workspace_key_prefix=`, 'workspace_key_prefix is empty. Leave it out for the default one.'],
  ])('are not sent for the address %s', async (address, message) => {
    await expect(bed.open(address)).rejects.toMatchObject({ exit: 'usage', message });
  });
});
