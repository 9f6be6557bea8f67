import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Tags over HTTP (docs/reference/tags.md). */
let api: Api;
let owner: string;
let stranger: string;
const organization = 'acme';

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

let createdCount = 0;
const create = async (relationships?: object, token = owner, of = organization): Promise<string> => {
  const { status, body } = await api.request('POST', `/organizations/${of}/workspaces`, {
    token,
    body: {
      data: {
        type: 'workspaces',
        attributes: { name: `w-${++createdCount}` },
        ...(relationships && { relationships }),
      },
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const tag = (name: string) => ({ type: 'tags', attributes: { name } });
const withTags = (...names: string[]) => ({ tags: { data: names.map(tag) } });
const send = (method: string, path: string, data?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const add = (id: string, data: unknown) => send('POST', `/workspaces/${id}/relationships/tags`, data);
const remove = (id: string, data: unknown) => send('DELETE', `/workspaces/${id}/relationships/tags`, data);
const list = async (id: string, query = ''): Promise<ApiResponse> =>
  send('GET', `/workspaces/${id}/relationships/tags${query}`);
const names = async (id: string, query?: string): Promise<string[]> =>
  (await list(id, query)).body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name);
const ids = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await list(id)).body.data.map(({ id: of, attributes }: { id: string; attributes: { name: string } }) => [
      attributes.name,
      of,
    ]),
  );
const shown = async (id: string) => (await send('GET', `/workspaces/${id}`)).body.data;
const getChangeRecord = async (id: string) => {
  const found = await api.engine.database.get({ pk: `WS#${id}`, sk: 'W' }, true);
  return { ...(found?.['chg'] as Record<string, unknown>), sequence: found?.['seq'] };
};
const many = (count: number, prefix = 't') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('tags of a workspace', () => {
  it('are listed in the order in which they were added, also on the workspace', async () => {
    const id = await create(withTags('one', 'two', 'three'));
    expect((await add(id, [tag('a-later-one')])).status).toBe(204);
    expect(await names(id)).toEqual(['one', 'two', 'three', 'a-later-one']);
    expect((await shown(id)).attributes['tag-names']).toEqual(['one', 'two', 'three', 'a-later-one']);
  });

  it('are resources of the organization and are paginated', async () => {
    const id = await create(withTags('app', 'env:prod', 'x_y'));
    const { status, body } = await list(id, '?page[size]=2&page[number]=2');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^tag-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'tags',
        attributes: {
          name: 'x_y',
          'created-at': expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
          'instance-count': 1,
        },
        relationships: { organization: { data: { id: organization, type: 'organizations' } } },
      },
    ]);
    expect(body.meta.pagination).toEqual({
      'current-page': 2,
      'page-size': 2,
      'prev-page': 1,
      'next-page': null,
      'total-pages': 2,
      'total-count': 3,
    });
  });

  it('are filtered by a part of their names, ignoring case', async () => {
    const id = await create(withTags('Network', 'net-2', 'database'));
    expect(await names(id, '?name=NET')).toEqual(['Network', 'net-2']);
    expect(await names(id, '?name=')).toEqual(['Network', 'net-2', 'database']);
    const { body } = await list(id, '?name=nothing');
    expect(body.data).toEqual([]);
    expect(body.meta.pagination).toMatchObject({ 'total-count': 0, 'total-pages': 1, 'current-page': 1 });
  });

  it('may have names of JavaScript object members, and 255 characters', async () => {
    const odd = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '0',
      '-',
      '_',
      ':',
      'length',
      'a'.repeat(255),
    ];
    const id = await create(withTags(...odd));
    expect(await names(id)).toEqual(odd);
    expect((await remove(id, [tag('__proto__'), tag('constructor')])).status).toBe(204);
    expect(await names(id)).toEqual(odd.slice(2));
    expect((await shown(id)).attributes['tag-names']).toEqual(odd.slice(2));
  });

  it('are case-sensitive', async () => {
    const id = await create(withTags('App', 'app'));
    expect(await names(id)).toEqual(['App', 'app']);
    await remove(id, [tag('APP'), tag('app')]);
    expect(await names(id)).toEqual(['App']);
  });

  it('are added once when they are named repeatedly, by id or by name', async () => {
    const other = await create(withTags('shared'));
    const { shared } = await ids(other);
    const id = await create();
    expect(
      (
        await add(id, [
          { type: 'tags', id: shared, attributes: { name: '' } },
          { type: 'tags', id: '', attributes: { name: 'new' } },
          { type: 'tags', id: null, attributes: { name: 'new' } },
          { type: 'tags', id: shared, attributes: { name: 'the id counts' } },
          tag('shared'),
        ])
      ).status,
    ).toBe(204);
    expect(await names(id)).toEqual(['shared', 'new']);
    expect((await ids(id))['shared']).toBe(shared);
    expect((await list(id)).body.data[0].attributes['instance-count']).toBe(2);
  });

  it('are removed by id or by name, and unknown names are ignored', async () => {
    const id = await create(withTags('a', 'b', 'c'));
    const { a } = await ids(id);
    expect((await remove(id, [{ type: 'tags', id: a }, tag('c'), tag('never-there')])).status).toBe(204);
    expect(await names(id)).toEqual(['b']);
  });

  it.each([
    ['POST', 'tag-1111111111111111'],
    ['POST', 'x'],
    ['DELETE', 'tag-1111111111111111'],
  ])('%s returns 404 for an unknown tag id (%s) and changes nothing', async (method, unknown) => {
    const id = await create(withTags('a'));
    const reply = await send(method, `/workspaces/${id}/relationships/tags`, [
      tag(method === 'POST' ? 'b' : 'a'),
      { type: 'tags', id: unknown },
    ]);
    expect(reply.status).toBe(404);
    expect(reply.body.errors).toEqual([
      { status: '404', title: 'not found', detail: expect.any(String), source: { pointer: '/data/1/id' } },
    ]);
    expect(await names(id)).toEqual(['a']);
  });

  it('return the same 404 for a tag id of another organization as for an unknown id', async () => {
    const foreign = await create(withTags('theirs', 'both'), stranger, 'umbrella');
    const reply = await send('GET', `/workspaces/${foreign}/relationships/tags`, undefined, stranger);
    const [theirs, both] = reply.body.data;
    const id = await create(withTags('both'));
    expect(both.id).not.toBe((await ids(id))['both']);
    const absent = await add(id, [{ type: 'tags', id: 'tag-1111111111111111' }]);
    for (const { id: hidden } of [theirs, both]) expect(await add(id, [{ type: 'tags', id: hidden }])).toEqual(absent);
  });

  it('are found by id when only this workspace has them', async () => {
    const id = await create(withTags('lonely'));
    const { lonely } = await ids(id);
    expect((await remove(id, [{ type: 'tags', id: lonely }])).status).toBe(204);
    expect(await names(id)).toEqual([]);
    // A tag and its id cease to exist with the last workspace that has the tag.
    expect((await add(id, [{ type: 'tags', id: lonely }])).status).toBe(404);
  });

  it('are limited to 40, and a request that exceeds the limit changes nothing', async () => {
    const id = await create(withTags(...many(38)));
    const rejected = await add(id, [tag('x-1'), tag('x-2'), tag('x-3')]);
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors[0]).toMatchObject({
      title: 'unprocessable entity',
      detail: expect.stringMatching(/at most 40 tags/),
    });
    expect(await names(id, '?page[size]=100')).toEqual(many(38));
    expect((await add(id, [tag('x-1'), tag('x-2')])).status).toBe(204);
    expect((await add(id, [...many(38).map(tag), tag('x-1')])).status).toBe(204);
    expect((await add(id, [tag('x-3')])).status).toBe(422);
    expect((await remove(id, many(38).map(tag))).status).toBe(204);
    expect(await names(id)).toEqual(['x-1', 'x-2']);
  });

  it('write a change record with the changed names, and none when nothing changes', async () => {
    const id = await create(withTags('kept'));
    const before = await getChangeRecord(id);
    await add(id, [tag('kept')]);
    await remove(id, [tag('never')]);
    await add(id, []);
    await send('PATCH', `/workspaces/${id}/tag-bindings`, []);
    expect(await getChangeRecord(id)).toEqual(before);
    await add(id, [tag('kept'), tag('new')]);
    expect(await getChangeRecord(id)).toMatchObject({
      type: 'workspace.tags-changed',
      keys: ['new'],
      sequence: 2,
      actor: { kind: 'user' },
    });
    await remove(id, [tag('kept'), tag('never')]);
    expect(await getChangeRecord(id)).toMatchObject({ type: 'workspace.tags-changed', keys: ['kept'], sequence: 3 });
  });

  it.each<[name: string, data: unknown, pointer: string]>([
    ['no type', [{ attributes: { name: 'a' } }], '/data/0/type'],
    ['another type', [{ type: 'workspaces', attributes: { name: 'a' } }], '/data/0/type'],
    ['neither id nor name', [tag('a'), { type: 'tags' }], '/data/1'],
    ['blank values for id and name', [{ type: 'tags', id: '', attributes: {} }], '/data/0'],
    ['an empty name', [tag('')], '/data/0/attributes/name'],
    ['a number as a name', [{ type: 'tags', attributes: { name: 1 } }], '/data/0/attributes/name'],
    ['101 elements', many(101).map(tag), '/data'],
    ['a document that is not a list', tag('a'), '/data'],
    ['null as data', null, '/data'],
  ])('are rejected with 422 when the body contains %s', async (_, data, pointer) => {
    const id = await create(withTags('a'));
    for (const change of [add, remove]) {
      const reply = await change(id, data);
      expect(reply.status, JSON.stringify(reply.body)).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
    expect(await names(id)).toEqual(['a']);
  });

  it.each([
    ['a blank', 'a b'],
    ['a dot', 'a.b'],
    ['an @', 'k@x'],
    ['a letter of another alphabet', 'é'],
    ['a line break', 'a\n'],
    ['256 characters', 'a'.repeat(256)],
  ])('with %s in the name cannot be added, and removing them causes no action', async (_, name) => {
    const id = await create(withTags('a', 'b'));
    const rejected = await add(id, [tag('c'), tag(name)]);
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors[0].source).toEqual({ pointer: '/data/1/attributes/name' });
    expect((await remove(id, [tag(name), tag('a')])).status).toBe(204);
    expect(await names(id)).toEqual(['b']);
    const ofOrganization = await send('DELETE', `/organizations/${organization}/tags`, [tag(name)]);
    expect(ofOrganization.status, JSON.stringify(ofOrganization.body)).toBe(204);
  });

  it('are rejected with 422 when the name is a key with a value, and nothing is added', async () => {
    const [id, source] = [await create(withTags('a')), await create(withTags('env'))];
    const { env } = await ids(source);
    const bindings = () => send('GET', `/workspaces/${id}/tag-bindings`);
    await send('PATCH', `/workspaces/${id}/tag-bindings`, [{ attributes: { key: 'env', value: 'prod' } }]);
    const before = await bindings();
    const rejection = (pointer: string) => ({
      status: 422,
      body: {
        errors: [
          {
            detail: expect.stringMatching(/^Tag name env is already the key of a tag binding with the value prod\./),
            source: { pointer },
          },
        ],
      },
    });
    expect(await add(id, [tag('new'), tag('env')])).toMatchObject(rejection('/data/1'));
    expect(await add(id, [{ type: 'tags', id: env }])).toMatchObject(rejection('/data/0'));
    const several = [
      { type: 'workspaces', id: source },
      { type: 'workspaces', id },
    ];
    expect(await send('POST', `/tags/${env}/relationships/workspaces`, several)).toMatchObject(rejection('/data/1'));
    expect((await remove(id, [tag('env')])).status).toBe(204);
    expect(await bindings()).toEqual(before);
  });

  it('return 404 to a caller of another organization', async () => {
    const id = await create(withTags('a'));
    for (const [method, data] of [['GET'], ['POST', [tag('b')]], ['DELETE', [tag('a')]]] as const) {
      const hidden = await send(method, `/workspaces/${id}/relationships/tags`, data, stranger);
      const absent = await send(method, '/workspaces/ws-1111111111111111/relationships/tags', data, stranger);
      expect(hidden).toMatchObject({ status: 404, body: NOT_FOUND });
      expect(hidden).toEqual(absent);
    }
  });
});

describe('POST /organizations/:name/workspaces with tags', () => {
  it('stores tags and bindings in one write with the workspace', async () => {
    const id = await create({
      tags: { data: [tag('app'), tag('app'), tag('env')] },
      'tag-bindings': {
        data: [
          { type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } },
          { type: 'tag-bindings', attributes: { key: 'flat', value: '' } },
        ],
      },
    });
    expect((await shown(id)).attributes['tag-names']).toEqual(['app', 'flat']);
    expect(await getChangeRecord(id)).toMatchObject({ type: 'workspace.created', sequence: 1 });
    const { body } = await send('GET', `/workspaces/${id}/tag-bindings`);
    expect(
      body.data.map(({ attributes: { key, value } }: { attributes: Record<string, string> }) => `${key}=${value}`),
    ).toEqual(['app=', 'env=prod', 'flat=']);
  });

  it('treats blank relationships as empty', async () => {
    for (const blank of [null, {}, { data: null }, { data: [] }]) {
      const id = await create({ tags: blank, 'tag-bindings': blank });
      expect((await shown(id)).attributes['tag-names']).toEqual([]);
    }
  });

  it('accepts the id of a tag of the organization', async () => {
    const { known } = await ids(await create(withTags('known')));
    const id = await create({ tags: { data: [{ type: 'tags', id: known }] } });
    expect(await names(id)).toEqual(['known']);
  });

  it.each<[name: string, relationships: object, status: number, pointer: string | undefined]>([
    [
      'an unknown tag id',
      { tags: { data: [{ type: 'tags', id: 'tag-1111111111111111' }] } },
      404,
      '/data/relationships/tags/data/0/id',
    ],
    ['an invalid tag name', { tags: { data: [tag('a b')] } }, 422, '/data/relationships/tags/data/0/attributes/name'],
    ['41 tags', withTags(...many(41)), 422, undefined],
    [
      'a reserved binding key',
      { 'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'hcp:x', value: 'y' } }] } },
      422,
      '/data/relationships/tag-bindings/data/0/attributes/key',
    ],
    [
      '11 bindings',
      { 'tag-bindings': { data: many(11).map((key) => ({ attributes: { key, value: 'v' } })) } },
      422,
      undefined,
    ],
  ])('rejects %s and does not create the workspace', async (_, relationships, status, pointer) => {
    const name = `refused-${++createdCount}`;
    const reply = await send('POST', `/organizations/${organization}/workspaces`, {
      type: 'workspaces',
      attributes: { name },
      relationships,
    });
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    expect(reply.body.errors[0].source?.pointer).toBe(pointer);
    expect((await send('GET', `/organizations/${organization}/workspaces/${name}`)).status).toBe(404);
  });
});

describe('tags of an organization', () => {
  const own = 'tagged';
  let token: string;
  beforeAll(async () => {
    ({ token } = await api.admin('create-organization', { name: own, email: 'bob@example.com' }));
  });
  const all = (query = '') => send('GET', `/organizations/${own}/tags${query}`, undefined, token);
  const counts = async (query?: string) =>
    Object.fromEntries(
      (await all(query)).body.data.map(({ attributes }: { attributes: Record<string, unknown> }) => [
        attributes['name'],
        attributes['instance-count'],
      ]),
    );
  const change = (method: string, id: string, ...of: string[]) =>
    send(method, `/workspaces/${id}/relationships/tags`, of.map(tag), token);

  it('are counted over its workspaces and cease to exist when no workspace has them', async () => {
    expect(await counts()).toEqual({});
    const [one, two] = [await create(withTags('b', 'a'), token, own), await create(withTags('a'), token, own)];
    expect(await counts()).toEqual({ a: 2, b: 1 });
    expect(Object.keys(await counts())).toEqual(['a', 'b']);
    await change('DELETE', one, 'a', 'b');
    expect(await counts()).toEqual({ a: 1 });
    await send('DELETE', `/workspaces/${two}`, undefined, token);
    expect(await counts()).toEqual({});
    await change('POST', one, 'a');
    expect(await counts()).toEqual({ a: 1 });
    await change('DELETE', one, 'a');
  });

  it('do not count bindings, and look the same as in the list of a workspace', async () => {
    const id = await create(withTags('same'), token, own);
    await send('PATCH', `/workspaces/${id}/tag-bindings`, [{ attributes: { key: 'bound', value: 'v' } }], token);
    const listedOnWorkspace = await send('GET', `/workspaces/${id}/relationships/tags`, undefined, token);
    expect((await all()).body.data).toEqual(listedOnWorkspace.body.data);
    await change('DELETE', id, 'same');
  });

  it('are as old as their oldest present use', async () => {
    const [first, second] = [await create(withTags('old'), token, own), await create(withTags('old'), token, own)];
    const createdAt = async () => (await all()).body.data[0].attributes['created-at'];
    const before = await createdAt();
    const fromSecond = await send('GET', `/workspaces/${second}/relationships/tags`, undefined, token);
    expect(fromSecond.body.data[0].attributes['created-at']).toBe(before);
    await nextMillisecond();
    await change('DELETE', first, 'old');
    await change('POST', first, 'old');
    expect(Date.parse(await createdAt())).toBeGreaterThanOrEqual(Date.parse(before));
    await change('DELETE', second, 'old');
    expect(Date.parse(await createdAt())).toBeGreaterThan(Date.parse(before));
    await change('DELETE', first, 'old');
  });

  it('are filtered by q, and exclude those of a given workspace', async () => {
    const id = await create(withTags('alpha', 'beta'), token, own);
    const other = await create(withTags('alphabet'), token, own);
    expect(Object.keys(await counts('?q=ALPHA'))).toEqual(['alpha', 'alphabet']);
    expect(Object.keys(await counts(`?filter[exclude][taggable][id]=${id}`))).toEqual(['alphabet']);
    expect(Object.keys(await counts(`?filter%5Bexclude%5D%5Btaggable%5D%5Bid%5D=${other}&q=a`))).toEqual([
      'alpha',
      'beta',
    ]);
    const foreign = await create(withTags('alpha'));
    for (const unknown of ['ws-1111111111111111', 'x', foreign, '']) {
      expect(Object.keys(await counts(`?filter[exclude][taggable][id]=${unknown}`))).toEqual([
        'alpha',
        'alphabet',
        'beta',
      ]);
    }
    const { body } = await all('?page[size]=1&page[number]=2');
    expect(body.data[0].attributes.name).toBe('alphabet');
    expect(body.meta.pagination['total-count']).toBe(3);
    await change('DELETE', id, 'alpha', 'beta');
    await change('DELETE', other, 'alphabet');
  });

  it('are deleted from all workspaces with one change record each, and deleting them again changes nothing', async () => {
    const workspaces = await Promise.all(many(25).map(() => create(withTags('doomed', 'kept'), token, own)));
    const bound = workspaces[0] as string;
    await send(
      'PATCH',
      `/workspaces/${bound}/tag-bindings`,
      [{ attributes: { key: 'doomed', value: 'now-bound' } }],
      token,
    );
    const [{ id }] = (await all('?q=doomed')).body.data;
    const unknown = { type: 'tags', id: 'tag-1111111111111111' };
    const erase = () => send('DELETE', `/organizations/${own}/tags`, [{ type: 'tags', id }, unknown], token);
    expect((await erase()).status).toBe(204);
    expect(await counts()).toEqual({ kept: 25 });
    for (const workspace of workspaces.slice(1)) {
      expect(await getChangeRecord(workspace)).toMatchObject({
        type: 'workspace.tags-changed',
        keys: ['doomed'],
        sequence: 2,
      });
    }
    // A key with a value is a binding, not a tag.
    expect(await getChangeRecord(bound)).toMatchObject({ sequence: 2 });
    const before = await Promise.all(workspaces.map(getChangeRecord));
    expect((await erase()).status).toBe(204);
    expect(await Promise.all(workspaces.map(getChangeRecord))).toEqual(before);
    await Promise.all(workspaces.map((workspace) => send('DELETE', `/workspaces/${workspace}`, undefined, token)));
  });

  it('are added to several workspaces with one request', async () => {
    const [source, ...targets] = await Promise.all(many(4).map(() => create(undefined, token, own)));
    await change('POST', source as string, 'spread');
    const [{ id }] = (await all('?q=spread')).body.data;
    const elements = targets.map((workspace) => ({ type: 'workspaces', id: workspace }));
    const reply = await send('POST', `/tags/${id}/relationships/workspaces`, [...elements, ...elements], token);
    expect(reply.status, JSON.stringify(reply.body)).toBe(204);
    expect(await counts('?q=spread')).toEqual({ spread: 4 });
  });

  it('are added to none of the workspaces when one is unknown, hidden or full', async () => {
    const source = await create(withTags('careful'), token, own);
    const target = await create(undefined, token, own);
    const full = await create(withTags(...many(40)), token, own);
    const foreign = await create(withTags('careful'));
    const [{ id }] = (await all('?q=careful')).body.data;
    const spread = (path: string, ...workspaces: string[]) =>
      send(
        'POST',
        `/tags/${path}/relationships/workspaces`,
        workspaces.map((workspace) => ({ type: 'workspaces', id: workspace })),
        token,
      );
    for (const other of ['ws-1111111111111111', 'x', foreign]) {
      expect(await spread(id, target, other)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await spread(id, target, full)).status).toBe(422);
    const foreignTag = (await list(foreign)).body.data[0].id;
    for (const unknown of ['tag-1111111111111111', 'x', foreignTag]) {
      expect(await spread(unknown, target)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await spread(id)).status).toBe(422);
    expect(await counts('?q=careful')).toEqual({ careful: 1 });
    expect((await spread(id, source, target)).status).toBe(204);
    expect(await counts('?q=careful')).toEqual({ careful: 2 });
  });

  it('return 404 to a caller of another organization', async () => {
    const hidden = await send('GET', `/organizations/${own}/tags`, undefined, stranger);
    expect(hidden).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await send('GET', '/organizations/no-such/tags', undefined, stranger)).toEqual(hidden);
  });
});
