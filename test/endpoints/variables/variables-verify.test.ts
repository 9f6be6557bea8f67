import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';

/** Fingerprints of values (VAR-15), and the comparison with them (VAR-16), for variables of workspaces and sets. */
let api: Api;
let owner: string;

const send = (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const resource = (type: string, attributes: object) => ({ data: { type, attributes } });

/** The two kinds of owners: the path of the variables, and the partition of the owner's item. */
const owners: Record<string, { path: string; owner: { pk: string; sk: string } }> = {};
const kinds = ['workspace', 'variable set'] as const;

let count = 0;
/** Creates a variable, and returns its path and its key in the table. */
const create = async (kind: string, attributes: object) => {
  const { path, owner } = owners[kind] as (typeof owners)[string];
  const key = `key-${++count}`;
  const { status, body } = await send('POST', path, resource('vars', { key, category: 'env', ...attributes }));
  expect(status, JSON.stringify(body)).toBe(201);
  return { id: body.data.id as string, path: `${path}/${body.data.id}`, key: { pk: owner.pk, sk: `V#env#${key}` } };
};
const fingerprintOf = async (key: { pk: string; sk: string }) => (await api.engine.database.get(key, true))?.['fp'];
const verify = (path: string, value: unknown, token = owner) =>
  send('POST', `${path}/actions/verify`, { value }, token);
const newToken = async (): Promise<string> =>
  (await send('POST', '/organizations/acme/authentication-token')).body.data.attributes.token;

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const workspace = (await send('POST', '/organizations/acme/workspaces', resource('workspaces', { name: 'network' })))
    .body.data.id;
  const set = (await send('POST', '/organizations/acme/varsets', resource('varsets', { name: 'credentials' }))).body
    .data.id;
  owners['workspace'] = { path: `/workspaces/${workspace}/vars`, owner: { pk: `WS#${workspace}`, sk: 'W' } };
  owners['variable set'] = {
    path: `/varsets/${set}/relationships/vars`,
    owner: { pk: `VARSET#${set}`, sk: 'VARSET' },
  };
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe.each(kinds)('the fingerprint of a variable of a %s', (kind) => {
  it('is stored with a sensitive value, with one more request to KMS, and replaced with the value', async () => {
    api.keyService.requested();
    const { path, key } = await create(kind, { value: 'one', sensitive: true });
    expect(api.keyService.requested().sort()).toEqual(['GenerateDataKey', 'GenerateMac']);
    const first = await fingerprintOf(key);
    expect(first).toMatch(/^[0-9a-f]{8}\.[\w-]{43}$/);
    await send('PATCH', path, resource('vars', { value: 'two' }));
    expect(await fingerprintOf(key)).not.toBe(first);
    await send('PATCH', path, resource('vars', { value: 'one' }));
    expect(await fingerprintOf(key)).toBe(first);
    await send('PATCH', path, resource('vars', { description: 'kept' }));
    expect(await fingerprintOf(key)).toBe(first);
  });

  it('is stored when the variable becomes sensitive', async () => {
    const { path, key } = await create(kind, { value: 'known' });
    expect(await fingerprintOf(key)).toBeUndefined();
    await send('PATCH', path, resource('vars', { sensitive: true }));
    expect(await fingerprintOf(key)).toMatch(/\./);
  });

  it('is stored with a plain value above 2 KB only, and KMS is not called for a shorter one', async () => {
    api.keyService.requested();
    const { path, key } = await create(kind, { value: 'x'.repeat(2_048) });
    expect(await fingerprintOf(key)).toBeUndefined();
    expect(api.keyService.requested()).toEqual([]);
    await send('PATCH', path, resource('vars', { value: 'x'.repeat(2_049) }));
    expect(await fingerprintOf(key)).toMatch(/\./);
    expect(api.keyService.requested()).toEqual(['GenerateMac']);
    await send('PATCH', path, resource('vars', { hcl: true }));
    expect(api.keyService.requested()).toEqual([]);
    await send('PATCH', path, resource('vars', { value: 'short' }));
    expect(await fingerprintOf(key)).toBeUndefined();
  });

  it('differs between two variables with the same secret, and no response contains it', async () => {
    const one = await create(kind, { value: 'same', sensitive: true });
    const other = await create(kind, { value: 'same', sensitive: true });
    const fingerprint = String(await fingerprintOf(one.key));
    expect(await fingerprintOf(other.key)).not.toBe(fingerprint);
    expect(JSON.stringify((await send('GET', one.path)).body)).not.toContain(fingerprint.slice(9));
  });
});

describe.each(kinds)('a verification of a variable of a %s', (kind) => {
  const changeOf = async () =>
    (await api.engine.database.get((owners[kind] as (typeof owners)[string]).owner, true)) as Item;

  it.each([
    ['sensitive', { sensitive: true }],
    ['plain', {}],
  ])('compares the value of a %s variable, and records the result without the value', async (_, attributes) => {
    const { id, path } = await create(kind, { value: 'right-value', ...attributes });
    for (const [value, matches] of [
      ['right-value', true],
      ['wrong-value', false],
      ['', false],
    ] as const) {
      const before = await changeOf();
      const { status, body } = await verify(path, value);
      expect({ status, body }).toEqual({
        status: 200,
        body: { data: { id, type: 'variable-verifications', attributes: { matches } } },
      });
      const after = await changeOf();
      expect(after['seq']).toBe(Number(before['seq']) + 1);
      expect(after['chg']).toMatchObject({
        type: `${kind === 'workspace' ? 'workspace' : 'variable-set'}.variable-verified`,
        variable: { id },
        matches,
      });
      expect(JSON.stringify(after['chg'])).not.toContain('-value');
    }
  });

  it('is rejected with 409 if the secret has no fingerprint, or one of another key', async () => {
    const { path, key } = await create(kind, { value: 'old', sensitive: true });
    const item = (await api.engine.database.get(key, true)) as Item;
    const { fp, ...old } = item;
    for (const stored of [old, { ...old, fp: `00000000.${String(fp).slice(9)}` }]) {
      await api.engine.database.write({ kind: 'put', key, item: stored });
      const { status, body } = await verify(path, 'old');
      expect({ status, detail: body.errors[0].detail }).toEqual({
        status: 409,
        detail:
          'The value was written before fingerprints existed, or under another key. Set it again to verify it later.',
      });
    }
  });

  it.each([
    ['no value', {}, "Value can't be blank"],
    ['a number', { value: 1 }, 'Value must be a string'],
    ['a long value', { value: 'x'.repeat(limits.variableValue + 1) }, 'Value is too long'],
  ])('is rejected with 422 for %s', async (_, body, detail) => {
    const { path } = await create(kind, { value: 'old', sensitive: true });
    const reply = await send('POST', `${path}/actions/verify`, body);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0]).toMatchObject({
      detail: expect.stringContaining(detail),
      source: { pointer: '/value' },
    });
  });
});

describe('the limit on verifications', () => {
  const minute = Math.ceil(Date.now() / 60_000) * 60_000;
  afterEach(() => {
    vi.useRealTimers();
  });
  const stopClock = (): void => {
    vi.useFakeTimers({ now: minute + 20_000, toFake: ['Date'] });
  };
  const verifyTimes = async (path: string, times: number, token?: string): Promise<void> => {
    for (let index = 0; index < times; index++) expect((await verify(path, 'wrong', token)).status).toBe(200);
  };
  /** Creates a user who is an owner. @returns tokens of the user. */
  const createUser = async (username: string, tokens: number): Promise<readonly string[]> => {
    await api.admin('create-user', { username, email: `${username}@example.com` });
    await api.admin('add-member', { organization: 'acme', team: 'owners', username });
    const created = [];
    for (let index = 0; index < tokens; index++)
      created.push(await api.admin('create-token', { kind: 'user', username }));
    return created.map(({ token }) => token);
  };

  it('rejects further verifications within a minute, without a comparison or a record', async () => {
    const token = await newToken();
    const { path } = await create('workspace', { value: 'right', sensitive: true });
    stopClock();
    await verifyTimes(path, limits.verifications, token);
    api.keyService.requested();
    const before = (await send('GET', path)).headers;
    const { status, headers, body } = await verify(path, 'right', token);
    expect({ status, retryAfter: headers['retry-after'], title: body.errors[0].title }).toEqual({
      status: 429,
      retryAfter: '60',
      title: 'too many requests',
    });
    expect((await send('GET', path)).headers['etag']).toBe(before['etag']);
    expect(api.keyService.requested()).toEqual([]);
    expect((await verify(path, 'right', owner)).status).toBe(200);
    vi.setSystemTime(minute + 80_000);
    expect((await verify(path, 'right', token)).status).toBe(200);
  });

  it('holds for every window of 60 seconds, not only for those that begin with a minute', async () => {
    const { path } = await create('workspace', { value: 'right', sensitive: true });
    stopClock();
    await verifyTimes(path, 20);
    vi.setSystemTime(minute + 50_000);
    await verifyTimes(path, 10);
    vi.setSystemTime(minute + 79_999);
    expect(await verify(path, 'wrong')).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    vi.setSystemTime(minute + 80_000);
    await verifyTimes(path, 20);
    expect(await verify(path, 'wrong')).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    vi.setSystemTime(minute + 110_000);
    await verifyTimes(path, 10);
    expect((await verify(path, 'wrong')).status).toBe(429);
  });

  it.each(kinds)(
    'counts the tokens of a user together for a variable of a %s, also concurrent requests',
    async (kind) => {
      const tokens = await createUser(`ann-${kind.slice(0, 3)}`, 5);
      const { path } = await create(kind, { value: 'right', sensitive: true });
      stopClock();
      const { pk: partition } = keys.verifications(path.split('/').at(-1) ?? '', '');
      for (const now of [minute + 20_000, minute + 80_000]) {
        vi.setSystemTime(now);
        api.keyService.requested();
        const requests = tokens.flatMap((token) => Array.from({ length: 10 }, () => verify(path, 'wrong', token)));
        const statuses = (await Promise.all(requests)).map(({ status }) => status);
        // A counted verification whose record meets too many others is 503.
        expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
        expect(api.keyService.requested().filter((request) => request === 'GenerateMac')).toHaveLength(
          limits.verifications,
        );
        const items = await api.engine.database.query({ partition, consistent: true });
        expect(items.map((item) => item['count'])).toEqual([limits.verifications]);
      }
    },
  );

  it('counts each variable and each person apart', async () => {
    const [ben = ''] = await createUser('ben', 1);
    const token = await newToken();
    const [one, other] = [
      await create('workspace', { value: 'right', sensitive: true }),
      await create('workspace', { value: 'right', sensitive: true }),
    ];
    stopClock();
    await verifyTimes(one.path, limits.verifications, ben);
    expect((await verify(one.path, 'right', ben)).status).toBe(429);
    expect((await verify(other.path, 'right', ben)).status).toBe(200);
    expect((await verify(one.path, 'right', token)).status).toBe(200);
  });
});
