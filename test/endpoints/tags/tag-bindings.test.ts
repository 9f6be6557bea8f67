import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Tag bindings over HTTP (docs/reference/tags.md). */
let api: Api;
let owner: string;
let stranger: string;
let project: { readonly id: string };
const organization = 'acme';

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
  ({ project } = await api.admin('create-project', {
    organization,
    name: 'Tagged',
    tagBindings: 'env=prod,team=blue',
  }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

let createdCount = 0;
/** Builds a tag binding from `env=prod`, or a flat tag from `env`. */
const element = (text: string) => {
  const [key, value] = text.split('=');
  return { type: 'tag-bindings', attributes: { key, ...(value !== undefined && { value }) } };
};
const elements = (...texts: readonly string[]) => texts.map(element);
const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
const create = async (texts: readonly string[] = [], relationships: object = {}): Promise<string> => {
  const { status, body } = await send('POST', `/organizations/${organization}/workspaces`, {
    type: 'workspaces',
    attributes: { name: `w-${++createdCount}` },
    relationships: { 'tag-bindings': { data: elements(...texts) }, ...relationships },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const send = (method: string, path: string, data?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const upsert = (id: string, ...texts: readonly string[]) =>
  send('PATCH', `/workspaces/${id}/tag-bindings`, elements(...texts));
const related = (method: string, id: string, ...texts: readonly string[]) =>
  send(method, `/workspaces/${id}/relationships/tag-bindings`, elements(...texts));
const update = (id: string, relationships: object, attributes?: object) =>
  send('PATCH', `/workspaces/${id}`, { type: 'workspaces', relationships, ...(attributes && { attributes }) });
const getBindings = ({ body }: ApiResponse): string[] =>
  body.data.map(({ attributes: { key, value } }: { attributes: { key: string; value: string } }) =>
    value === '' ? key : `${key}=${value}`,
  );
const bindings = async (id: string) => getBindings(await send('GET', `/workspaces/${id}/tag-bindings`));
const effective = (id: string) => send('GET', `/workspaces/${id}/effective-tag-bindings`);
const shown = async (id: string) => (await send('GET', `/workspaces/${id}`)).body.data;
const getSequence = async (id: string) => (await api.engine.database.get({ pk: `WS#${id}`, sk: 'W' }, true))?.['seq'];
const many = (count: number, value = '=v') => Array.from({ length: count }, (_, index) => `k${index}${value}`);

describe('tag bindings of a workspace', () => {
  it('are listed together with flat tags under both paths', async () => {
    const id = await create(['env=prod', 'flat', 'a.b=c@d:e+f=g']);
    const reply = await send('GET', `/workspaces/${id}/tag-bindings`);
    expect(reply.body.data).toHaveLength(3);
    expect(reply.body.data[0]).toEqual({
      id: expect.stringMatching(/^tb-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'tag-bindings',
      attributes: { key: 'env', value: 'prod', 'created-at': expect.stringMatching(/Z$/) },
      links: { target: `/api/v2/workspaces/${id}` },
    });
    expect(reply.body.data[1].attributes).toMatchObject({ key: 'flat', value: '' });
    expect(reply.body.data[2].attributes).toMatchObject({ key: 'a.b', value: 'c@d:e+f' });
    expect(reply.body.meta.pagination).toMatchObject({ 'current-page': 1, 'total-pages': 1, 'total-count': 3 });
    expect((await send('GET', `/workspaces/${id}/relationships/tag-bindings`)).body.data).toEqual(reply.body.data);
  });

  it('are listed on one page unless the request has page parameters', async () => {
    const id = await create([...many(10), ...Array.from({ length: 40 }, (_, index) => `flat-${index}`)]);
    for (const [path, total] of [
      ['tag-bindings', 50],
      ['relationships/tag-bindings', 50],
      ['effective-tag-bindings', 10],
    ] as const) {
      const whole = await send('GET', `/workspaces/${id}/${path}`);
      expect(whole.body.data).toHaveLength(total);
      expect(whole.body.meta.pagination).toMatchObject({ 'next-page': null, 'total-count': total });
      const part = await send('GET', `/workspaces/${id}/${path}?page[size]=3&page[number]=2`);
      expect(part.body.data).toEqual(whole.body.data.slice(3, 6));
      expect(part.body.meta.pagination).toMatchObject({ 'current-page': 2, 'next-page': 3, 'total-count': total });
      expect((await send('GET', `/workspaces/${id}/${path}?page[size]=x`)).status).toBe(400);
    }
  });

  it('are added or changed by PATCH and POST, and PATCH returns all of them', async () => {
    const id = await create(['env=prod', 'flat', 'team=blue']);
    const reply = await upsert(id, 'new=1', 'team=red', 'flat=bound', 'env');
    expect(reply.status).toBe(200);
    expect(getBindings(reply)).toEqual(['env', 'flat=bound', 'team=red', 'new=1']);
    expect(await bindings(id)).toEqual(getBindings(reply));
    expect((await shown(id)).attributes['tag-names']).toEqual(['env']);
    expect((await related('POST', id, 'new=2', 'more=3')).status).toBe(204);
    expect(await bindings(id)).toEqual(['env', 'flat=bound', 'team=red', 'new=2', 'more=3']);
  });

  it('keep their ids and creation times when their values change', async () => {
    const id = await create(['env=prod']);
    const [before] = (await send('GET', `/workspaces/${id}/tag-bindings`)).body.data;
    await nextMillisecond();
    const [after] = (await upsert(id, 'env=test')).body.data;
    expect(after).toEqual({ ...before, attributes: { ...before.attributes, value: 'test' } });
  });

  it('are replaced by PATCH on the relationship, which keeps flat tags', async () => {
    const id = await create(['a=1', 'flat', 'b=2', 'c=3']);
    expect((await related('PATCH', id, 'd=4', 'b=5')).status).toBe(204);
    expect(await bindings(id)).toEqual(['flat', 'b=5', 'd=4']);
    expect((await related('PATCH', id)).status).toBe(204);
    expect(await bindings(id)).toEqual(['flat']);
    await send('DELETE', `/workspaces/${id}/relationships/tags`, [{ type: 'tags', attributes: { name: 'flat' } }]);
    expect(await bindings(id)).toEqual([]);
  });

  it('are not changed by adding or removing flat tags of the same names', async () => {
    const id = await create(['env=prod']);
    const data = [{ type: 'tags', attributes: { name: 'env' } }];
    for (const [method, status] of [
      ['POST', 422],
      ['DELETE', 204],
    ] as const) {
      expect((await send(method, `/workspaces/${id}/relationships/tags`, data)).status).toBe(status);
      expect(await bindings(id)).toEqual(['env=prod']);
    }
    expect((await shown(id)).attributes['tag-names']).toEqual([]);
  });

  it('are replaced by an update of the workspace in one write with its attributes', async () => {
    const id = await create(['a=1', 'flat']);
    const reply = await update(id, { 'tag-bindings': { data: elements('b=2') } }, { description: 'updated' });
    expect(reply.status).toBe(200);
    expect(await bindings(id)).toEqual(['flat', 'b=2']);
    expect((await shown(id)).attributes.description).toBe('updated');
    expect(await getSequence(id)).toBe(2);
    const item = await api.engine.database.get({ pk: `WS#${id}`, sk: 'W' }, true);
    expect(item?.['chg']).toMatchObject({ type: 'workspace.updated', keys: ['description', 'tags'] });
    await update(id, { 'tag-bindings': { data: [] } });
    expect(await bindings(id)).toEqual(['flat']);
  });

  it('are kept by an update without data for them, and flat tags are kept by every update', async () => {
    const id = await create(['a=1', 'flat']);
    const data = [{ type: 'tags', attributes: { name: 'other' } }];
    for (const relationships of [
      {},
      { 'tag-bindings': null },
      { 'tag-bindings': {} },
      { 'tag-bindings': { data: null } },
      { tags: { data } },
    ]) {
      expect((await update(id, relationships)).status).toBe(200);
      expect(await bindings(id)).toEqual(['a=1', 'flat']);
    }
  });

  it('a workspace has at most 10 bindings, in addition to 40 flat tags', async () => {
    const id = await create(many(9));
    const limit = /at most 10 tag bindings/;
    for (const rejected of [
      await upsert(id, 'x=1', 'y=2'),
      await related('POST', id, 'x=1', 'y=2'),
      await related('PATCH', id, ...many(11)),
      await update(id, { 'tag-bindings': { data: elements(...many(11)) } }, { description: 'not done' }),
    ]) {
      expect(rejected.status, JSON.stringify(rejected.body)).toBe(422);
      expect(rejected.body.errors[0].detail).toMatch(limit);
    }
    expect(await bindings(id)).toEqual(many(9));
    expect((await shown(id)).attributes.description).toBeNull();
    expect((await upsert(id, 'k0=other', 'x=1')).status).toBe(200);
    expect((await upsert(id, 'y=2')).status).toBe(422);
    expect((await upsert(id, ...many(40, '-flat'))).status).toBe(200);
    expect((await upsert(id, 'one-more')).body.errors[0].detail).toMatch(/at most 40 tags/);
    // A binding that loses its value becomes a flat tag.
    expect((await upsert(id, 'x')).status).toBe(422);
    expect((await related('PATCH', id, ...many(10))).status).toBe(204);
  });

  it.each<[name: string, data: unknown, pointer: string]>([
    ['no attributes', [{ type: 'tag-bindings' }], '/data/0/attributes'],
    ['a missing key', [{ type: 'tag-bindings', attributes: { value: 'v' } }], '/data/0/attributes/key'],
    ['an empty key', elements('=v'), '/data/0/attributes/key'],
    ['a key of 129 characters', elements(`${'k'.repeat(129)}=v`), '/data/0/attributes/key'],
    ['a value of 257 characters', elements(`k=${'v'.repeat(257)}`), '/data/0/attributes/value'],
    ['a blank in the key', elements('a b=v'), '/data/0/attributes/key'],
    ['a blank in the value', elements('a=b', 'k=a b'), '/data/1/attributes/value'],
    ['a slash', elements('a/b=v'), '/data/0/attributes/key'],
    ['a reserved key', elements('hc:k=v'), '/data/0/attributes/key'],
    ['another reserved key', elements('hcp:k=v'), '/data/0/attributes/key'],
    ['a reserved key without a value', elements('hcp:k'), '/data/0/attributes/key'],
    ['a key without a value that is not a valid tag name', elements('a.b'), '/data/0/attributes/key'],
    ['a number', [{ attributes: { key: 1, value: 'v' } }], '/data/0/attributes/key'],
    ['another resource type', [{ type: 'tags', attributes: { key: 'k', value: 'v' } }], '/data/0/type'],
    ['two values for one key', elements('k=v', 'k=w'), '/data/1/attributes/value'],
    ['a document that is not a list', { key: 'value' }, '/data'],
  ])('are rejected with 422 when the body contains %s', async (_, data, pointer) => {
    const id = await create(['a=1']);
    const replies = [
      await send('PATCH', `/workspaces/${id}/tag-bindings`, data),
      await send('POST', `/workspaces/${id}/relationships/tag-bindings`, data),
      await send('PATCH', `/workspaces/${id}/relationships/tag-bindings`, data),
    ];
    for (const reply of replies) {
      expect(reply.status, JSON.stringify(reply.body)).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
    const updated = await update(id, { 'tag-bindings': { data } });
    expect(updated.status).toBe(422);
    expect(updated.body.errors[0].source).toEqual({
      pointer: pointer.replace('/data', '/data/relationships/tag-bindings/data'),
    });
    expect(await bindings(id)).toEqual(['a=1']);
  });

  it('may be repeated with the same value, and may omit the type', async () => {
    const id = await create();
    const data = [
      ...elements('k=v', 'k=v'),
      { attributes: { key: 'flat', value: null } },
      ...elements('__proto__=p', 'constructor=c'),
    ];
    expect(getBindings(await send('PATCH', `/workspaces/${id}/tag-bindings`, data))).toEqual([
      'k=v',
      'flat',
      '__proto__=p',
      'constructor=c',
    ]);
  });

  it('return 404 to a caller of another organization', async () => {
    const id = await create(['a=1'], inProject(project.id));
    const requests = [
      ['GET', 'tag-bindings'],
      ['GET', 'relationships/tag-bindings'],
      ['GET', 'effective-tag-bindings'],
      ['PATCH', 'tag-bindings', elements('b=2')],
      ['POST', 'relationships/tag-bindings', elements('b=2')],
      ['PATCH', 'relationships/tag-bindings', []],
    ] as const;
    for (const [method, path, data] of requests) {
      const hidden = await send(method, `/workspaces/${id}/${path}`, data, stranger);
      expect(hidden).toMatchObject({ status: 404, body: NOT_FOUND });
      expect(hidden).toEqual(await send(method, `/workspaces/ws-1111111111111111/${path}`, data, stranger));
    }
  });
});

describe('effective tag bindings of a workspace', () => {
  it('contain its own bindings without links and relationships, and those of its project, but no flat tags', async () => {
    const id = await create(['team=red', 'own=1', 'flat'], inProject(project.id));
    const { status, body } = await effective(id);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      own('team', 'red'),
      own('own', '1'),
      {
        ...own('env', 'prod'),
        relationships: { 'inherited-from': { data: { type: 'projects', id: project.id } } },
        links: { 'inherited-from': `/api/v2/projects/${project.id}` },
      },
    ]);
    expect(new Set(body.data.map(({ id: of }: { id: string }) => of)).size).toBe(3);
    // A flat tag takes precedence over a binding of the project with its name.
    await upsert(id, 'env');
    expect(getBindings(await effective(id))).toEqual(['team=red', 'own=1']);
  });
  const own = (key: string, value: string) => ({
    id: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{16}$/),
    type: 'effective-tag-bindings',
    attributes: { key, value, 'created-at': expect.stringMatching(/Z$/) },
  });

  it('follow changes of the project and moves to another project', async () => {
    const { project: before } = await api.admin('create-project', { organization, name: 'Before', tagBindings: 'a=1' });
    const { project: after } = await api.admin('create-project', { organization, name: 'After', tagBindings: 'b=2' });
    const id = await create(['own=1'], inProject(before.id));
    expect(getBindings(await effective(id))).toEqual(['own=1', 'a=1']);
    await api.admin('update-project', { organization, name: 'Before', tagBindings: 'a=9,c=3' });
    expect(getBindings(await effective(id))).toEqual(['own=1', 'a=9', 'c=3']);
    await update(id, inProject(after.id));
    expect(getBindings(await effective(id))).toEqual(['own=1', 'b=2']);
    await api.admin('update-project', { organization, name: 'After', tagBindings: '' });
    expect(getBindings(await effective(id))).toEqual(['own=1']);
    expect(await bindings(id)).toEqual(['own=1']);
  });

  it('contain up to 10 bindings of the workspace and 10 of its project', async () => {
    const inherited = Array.from({ length: 10 }, (_, index) => `p${index}=v`);
    const { project: full } = await api.admin('create-project', {
      organization,
      name: 'Full',
      tagBindings: inherited.join(','),
    });
    const id = await create(many(10), inProject(full.id));
    expect(getBindings(await effective(id))).toEqual([...many(10), ...inherited]);
  });
});
