import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { NOT_FOUND } from '../../support/models/arbitraries-checks.ts';

/** Tags as clients use them (docs/reference/tags.md). */
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

let made = 0;
const create = async (relationships?: object, token = owner, of = organization): Promise<string> => {
  const { status, body } = await api.request('POST', `/organizations/${of}/workspaces`, {
    token,
    body: {
      data: { type: 'workspaces', attributes: { name: `w-${++made}` }, ...(relationships && { relationships }) },
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const tag = (name: string) => ({ type: 'tags', attributes: { name } });
const tagged = (...names: string[]) => ({ tags: { data: names.map(tag) } });
const send = (method: string, path: string, data?: unknown, token = owner): Promise<Reply> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const add = (id: string, data: unknown) => send('POST', `/workspaces/${id}/relationships/tags`, data);
const remove = (id: string, data: unknown) => send('DELETE', `/workspaces/${id}/relationships/tags`, data);
const list = async (id: string, query = ''): Promise<Reply> =>
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
const changeOf = async (id: string) => {
  const found = await api.engine.database.get({ pk: `WS#${id}`, sk: 'W' }, true);
  return { ...(found?.['chg'] as Record<string, unknown>), sequence: found?.['seq'] };
};
const many = (count: number, prefix = 't') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('the tags of a workspace', () => {
  it('are listed in the order given, later ones last, and shown on the workspace', async () => {
    const id = await create(tagged('one', 'two', 'three'));
    expect((await add(id, [tag('a-later-one')])).status).toBe(204);
    expect(await names(id)).toEqual(['one', 'two', 'three', 'a-later-one']);
    expect((await shown(id)).attributes['tag-names']).toEqual(['one', 'two', 'three', 'a-later-one']);
  });

  it('are resources of the organization, in pages', async () => {
    const id = await create(tagged('app', 'env:prod', 'x_y'));
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

  it('are narrowed by a part of their names, in any case', async () => {
    const id = await create(tagged('Network', 'net-2', 'database'));
    expect(await names(id, '?name=NET')).toEqual(['Network', 'net-2']);
    expect(await names(id, '?name=')).toEqual(['Network', 'net-2', 'database']);
    const { body } = await list(id, '?name=nothing');
    expect(body.data).toEqual([]);
    expect(body.meta.pagination).toMatchObject({ 'total-count': 0, 'total-pages': 1, 'current-page': 1 });
  });

  it('may have names that mean something to the machine', async () => {
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
    const id = await create(tagged(...odd));
    expect(await names(id)).toEqual(odd);
    expect((await remove(id, [tag('__proto__'), tag('constructor')])).status).toBe(204);
    expect(await names(id)).toEqual(odd.slice(2));
    expect((await shown(id)).attributes['tag-names']).toEqual(odd.slice(2));
  });

  it('are told apart by case', async () => {
    const id = await create(tagged('App', 'app'));
    expect(await names(id)).toEqual(['App', 'app']);
    await remove(id, [tag('APP'), tag('app')]);
    expect(await names(id)).toEqual(['App']);
  });

  it('are added once, however often they are named, and named by id or by name', async () => {
    const other = await create(tagged('shared'));
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

  it('are removed by id or by name; names without a tag are passed over', async () => {
    const id = await create(tagged('a', 'b', 'c'));
    const { a } = await ids(id);
    expect((await remove(id, [{ type: 'tags', id: a }, tag('c'), tag('never-there')])).status).toBe(204);
    expect(await names(id)).toEqual(['b']);
  });

  it.each([
    ['POST', 'tag-1111111111111111'],
    ['POST', 'x'],
    ['DELETE', 'tag-1111111111111111'],
  ])('%s refuses an id that no tag has, with all that stands beside it: %s', async (method, unknown) => {
    const id = await create(tagged('a'));
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

  it("take another organization's id for one that does not exist", async () => {
    const foreign = await create(tagged('theirs', 'both'), stranger, 'umbrella');
    const reply = await send('GET', `/workspaces/${foreign}/relationships/tags`, undefined, stranger);
    const [theirs, both] = reply.body.data;
    const id = await create(tagged('both'));
    expect(both.id).not.toBe((await ids(id))['both']);
    const absent = await add(id, [{ type: 'tags', id: 'tag-1111111111111111' }]);
    for (const { id: hidden } of [theirs, both]) expect(await add(id, [{ type: 'tags', id: hidden }])).toEqual(absent);
  });

  it('know a tag that only this workspace has by its id', async () => {
    const id = await create(tagged('lonely'));
    const { lonely } = await ids(id);
    expect((await remove(id, [{ type: 'tags', id: lonely }])).status).toBe(204);
    expect(await names(id)).toEqual([]);
    // With its last use the tag is gone, and with the tag its id.
    expect((await add(id, [{ type: 'tags', id: lonely }])).status).toBe(404);
  });

  it('are at most 40, with nothing done beyond', async () => {
    const id = await create(tagged(...many(38)));
    const refused = await add(id, [tag('x-1'), tag('x-2'), tag('x-3')]);
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toMatchObject({
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

  it('are announced by the keys that changed; what changes nothing is no change', async () => {
    const id = await create(tagged('kept'));
    const before = await changeOf(id);
    await add(id, [tag('kept')]);
    await remove(id, [tag('never')]);
    await add(id, []);
    await send('PATCH', `/workspaces/${id}/tag-bindings`, []);
    expect(await changeOf(id)).toEqual(before);
    await add(id, [tag('kept'), tag('new')]);
    expect(await changeOf(id)).toMatchObject({
      type: 'workspace.tags-changed',
      keys: ['new'],
      sequence: 2,
      actor: { kind: 'user' },
    });
    await remove(id, [tag('kept'), tag('never')]);
    expect(await changeOf(id)).toMatchObject({ type: 'workspace.tags-changed', keys: ['kept'], sequence: 3 });
  });

  it.each<[name: string, data: unknown, pointer: string]>([
    ['no type', [{ attributes: { name: 'a' } }], '/data/0/type'],
    ['another type', [{ type: 'workspaces', attributes: { name: 'a' } }], '/data/0/type'],
    ['neither id nor name', [tag('a'), { type: 'tags' }], '/data/1'],
    ['neither, in so many words', [{ type: 'tags', id: '', attributes: {} }], '/data/0'],
    ['an empty name', [tag('')], '/data/0/attributes/name'],
    ['a blank', [tag('a b')], '/data/0/attributes/name'],
    ['a dot', [tag('a.b')], '/data/0/attributes/name'],
    ['a letter of another alphabet', [tag('é')], '/data/0/attributes/name'],
    ['a line', [tag('a\n')], '/data/0/attributes/name'],
    ['256 characters', [tag('a'.repeat(256))], '/data/0/attributes/name'],
    ['a number', [{ type: 'tags', attributes: { name: 1 } }], '/data/0/attributes/name'],
    ['101 elements', many(101).map(tag), '/data'],
    ['one that is no list', tag('a'), '/data'],
    ['null', null, '/data'],
  ])('are not named by %s', async (_, data, pointer) => {
    const id = await create(tagged('a'));
    for (const change of [add, remove]) {
      const reply = await change(id, data);
      expect(reply.status, JSON.stringify(reply.body)).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
    expect(await names(id)).toEqual(['a']);
  });

  it('are there for nobody else', async () => {
    const id = await create(tagged('a'));
    for (const [method, data] of [['GET'], ['POST', [tag('b')]], ['DELETE', [tag('a')]]] as const) {
      const hidden = await send(method, `/workspaces/${id}/relationships/tags`, data, stranger);
      const absent = await send(method, '/workspaces/ws-1111111111111111/relationships/tags', data, stranger);
      expect(hidden).toMatchObject({ status: 404, body: NOT_FOUND });
      expect(hidden).toEqual(absent);
    }
  });
});

describe('a workspace that is created with tags', () => {
  it('has them, and bindings, in one write', async () => {
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
    expect(await changeOf(id)).toMatchObject({ type: 'workspace.created', sequence: 1 });
    const { body } = await send('GET', `/workspaces/${id}/tag-bindings`);
    expect(
      body.data.map(({ attributes: { key, value } }: { attributes: Record<string, string> }) => `${key}=${value}`),
    ).toEqual(['app=', 'env=prod', 'flat=']);
  });

  it('takes blank relationships for none', async () => {
    for (const blank of [null, {}, { data: null }, { data: [] }]) {
      const id = await create({ tags: blank, 'tag-bindings': blank });
      expect((await shown(id)).attributes['tag-names']).toEqual([]);
    }
  });

  it('takes a tag by its id, which the organization must have', async () => {
    const { known } = await ids(await create(tagged('known')));
    const id = await create({ tags: { data: [{ type: 'tags', id: known }] } });
    expect(await names(id)).toEqual(['known']);
  });

  it.each<[name: string, relationships: object, status: number, pointer: string | undefined]>([
    [
      'an unknown id',
      { tags: { data: [{ type: 'tags', id: 'tag-1111111111111111' }] } },
      404,
      '/data/relationships/tags/data/0/id',
    ],
    ['a bad name', { tags: { data: [tag('a b')] } }, 422, '/data/relationships/tags/data/0/attributes/name'],
    ['41 tags', tagged(...many(41)), 422, undefined],
    [
      'a bad key',
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
  ])('is not created with %s', async (_, relationships, status, pointer) => {
    const name = `refused-${++made}`;
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

describe('the tags of an organization', () => {
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

  it('are counted over its workspaces, and vanish with their last use', async () => {
    expect(await counts()).toEqual({});
    const [one, two] = [await create(tagged('b', 'a'), token, own), await create(tagged('a'), token, own)];
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

  it('do not count bindings, and have the same form as those of a workspace', async () => {
    const id = await create(tagged('same'), token, own);
    await send('PATCH', `/workspaces/${id}/tag-bindings`, [{ attributes: { key: 'bound', value: 'v' } }], token);
    const ofWorkspace = await send('GET', `/workspaces/${id}/relationships/tags`, undefined, token);
    expect((await all()).body.data).toEqual(ofWorkspace.body.data);
    await change('DELETE', id, 'same');
  });

  it('are as old as the first of their uses that there are', async () => {
    const [first, second] = [await create(tagged('old'), token, own), await create(tagged('old'), token, own)];
    const createdAt = async () => (await all()).body.data[0].attributes['created-at'];
    const before = await createdAt();
    const fromSecond = await send('GET', `/workspaces/${second}/relationships/tags`, undefined, token);
    expect(fromSecond.body.data[0].attributes['created-at']).toBe(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await change('DELETE', first, 'old');
    await change('POST', first, 'old');
    expect(Date.parse(await createdAt())).toBeGreaterThanOrEqual(Date.parse(before));
    await change('DELETE', second, 'old');
    expect(Date.parse(await createdAt())).toBeGreaterThan(Date.parse(before));
    await change('DELETE', first, 'old');
  });

  it('are narrowed by q, and without those that a workspace has', async () => {
    const id = await create(tagged('alpha', 'beta'), token, own);
    const other = await create(tagged('alphabet'), token, own);
    expect(Object.keys(await counts('?q=ALPHA'))).toEqual(['alpha', 'alphabet']);
    expect(Object.keys(await counts(`?filter[exclude][taggable][id]=${id}`))).toEqual(['alphabet']);
    expect(Object.keys(await counts(`?filter%5Bexclude%5D%5Btaggable%5D%5Bid%5D=${other}&q=a`))).toEqual([
      'alpha',
      'beta',
    ]);
    const foreign = await create(tagged('alpha'));
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

  it('are deleted from all workspaces, each by a change of its own; again is no change', async () => {
    const workspaces = await Promise.all(many(25).map(() => create(tagged('doomed', 'kept'), token, own)));
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
      expect(await changeOf(workspace)).toMatchObject({
        type: 'workspace.tags-changed',
        keys: ['doomed'],
        sequence: 2,
      });
    }
    // What has a value is no tag.
    expect(await changeOf(bound)).toMatchObject({ sequence: 2 });
    const before = await Promise.all(workspaces.map(changeOf));
    expect((await erase()).status).toBe(204);
    expect(await Promise.all(workspaces.map(changeOf))).toEqual(before);
    await Promise.all(workspaces.map((workspace) => send('DELETE', `/workspaces/${workspace}`, undefined, token)));
  });

  it('are put on several workspaces at once', async () => {
    const [source, ...targets] = await Promise.all(many(4).map(() => create(undefined, token, own)));
    await change('POST', source as string, 'spread');
    const [{ id }] = (await all('?q=spread')).body.data;
    const elements = targets.map((workspace) => ({ type: 'workspaces', id: workspace }));
    const reply = await send('POST', `/tags/${id}/relationships/workspaces`, [...elements, ...elements], token);
    expect(reply.status, JSON.stringify(reply.body)).toBe(204);
    expect(await counts('?q=spread')).toEqual({ spread: 4 });
  });

  it('are put on none of several workspaces where one is not there, hidden, or full', async () => {
    const source = await create(tagged('careful'), token, own);
    const target = await create(undefined, token, own);
    const full = await create(tagged(...many(40)), token, own);
    const foreign = await create(tagged('careful'));
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

  it('are there for members only', async () => {
    const hidden = await send('GET', `/organizations/${own}/tags`, undefined, stranger);
    expect(hidden).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await send('GET', '/organizations/no-such/tags', undefined, stranger)).toEqual(hidden);
  });
});
