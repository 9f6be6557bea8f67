import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Reserved tag keys over HTTP (TAG-20, TAG-21). */
let api: Api;
let owner: string;
let stranger: string;
let project: string;

beforeAll(async () => {
  api = await startApi({ deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
  const tagBindings = 'env=prod,team=blue';
  project = (await api.admin('create-project', { organization: 'acme', name: 'Tagged', tagBindings })).project.id;
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

const send = (method: string, path: string, data?: unknown, token = owner) =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const document = (attributes: object, more: object = {}) => ({ type: 'reserved-tag-keys', attributes, ...more });
const reserve = (attributes: object, organization = 'acme', token = owner) =>
  send('POST', `/organizations/${organization}/reserved-tag-keys`, document(attributes), token);
const list = async (query = '') => (await send('GET', `/organizations/acme/reserved-tag-keys${query}`)).body;
const keysIn = ({ data }: { data: { attributes: { key: string } }[] }) => data.map(({ attributes }) => attributes.key);

describe('reserved tag keys', () => {
  it('are created, listed by key, changed and deleted', async () => {
    const created = await reserve({ key: 'zone' });
    expect(created).toMatchObject({
      status: 201,
      body: { data: { id: expect.stringMatching(/^rtk-/), attributes: { key: 'zone', 'disable-overrides': false } } },
    });
    const { id, attributes } = created.body.data;
    await reserve({ key: 'area', 'disable-overrides': true });
    expect(keysIn(await list())).toEqual(['area', 'zone']);
    const page = await list('?page[size]=1&page[number]=2');
    expect([keysIn(page), page.meta.pagination['total-count']]).toEqual([['zone'], 2]);

    expect((await send('PATCH', `/reserved-tag-keys/${id}`, document({}))).body.data.attributes).toEqual(attributes);
    const changed = await send(
      'PATCH',
      `/reserved-tag-keys/${id}`,
      document({ key: 'ring', 'disable-overrides': true }),
    );
    expect(changed.body.data).toMatchObject({ id, attributes: { key: 'ring', 'disable-overrides': true } });
    expect((await send('DELETE', `/reserved-tag-keys/${id}`)).status).toBe(204);
    expect(await send('DELETE', `/reserved-tag-keys/${id}`)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(keysIn(await list())).toEqual(['area']);
  });

  it.each([
    [{}, /can't be blank/],
    [{ key: '' }, /Key is invalid: it can't be blank/],
    [{ key: '! / nope' }, /Key is invalid: it may only contain/],
    [{ key: 'hc:own' }, /Key is invalid: it may not begin with 'hc:'/],
    [{ key: 'area' }, /Key has already been taken/],
    [{ key: 'x'.repeat(limits.bindingKey + 1) }, /maximum is/],
  ])('are rejected with 422 for %j', async (attributes, detail) => {
    expectInvalid(await reserve(attributes), 'key', detail);
  });

  it('are 404 to callers of another organization', async () => {
    const { id } = (await list()).data[0];
    for (const [method, path] of [
      ['GET', '/organizations/acme/reserved-tag-keys'],
      ['POST', '/organizations/acme/reserved-tag-keys'],
      ['PATCH', `/reserved-tag-keys/${id}`],
      ['DELETE', `/reserved-tag-keys/${id}`],
    ] as const) {
      const data = method === 'POST' || method === 'PATCH' ? document({ key: 'mine' }) : undefined;
      expect(await send(method, path, data, stranger), path).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('are reserved once when two requests reserve the same key concurrently', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => reserve({ key: 'raced' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it('are limited in number, and are deleted with their organization', async () => {
    const { token } = await api.admin('create-organization', { name: 'brief', email: 'ada@example.com' });
    for (let index = 0; index < limits.reservedTagKeys; index++) {
      expect((await reserve({ key: `k${index}` }, 'brief', token)).status).toBe(201);
    }
    expect((await reserve({ key: 'more' }, 'brief', token)).status).toBe(422);
    await api.admin('delete-organization', { name: 'brief' });
    expect((await api.admin('check-table')).findings).toEqual([]);
  });
});

describe('a reserved tag key without overrides', () => {
  const element = (key: string, value?: string) => ({ type: 'tag-bindings', attributes: { key, value } });
  let made = 0;
  const create = (bindings: object[], tags: object[] = []) =>
    send('POST', '/organizations/acme/workspaces', {
      type: 'workspaces',
      attributes: { name: `w-${++made}` },
      relationships: {
        project: { data: { type: 'projects', id: project } },
        'tag-bindings': { data: bindings },
        tags: { data: tags },
      },
    });
  const rejectionAt = (pointer: string) => ({
    status: 422,
    body: { errors: [{ detail: expect.stringMatching(/^The tag key env is reserved/), source: { pointer } }] },
  });

  it('keeps workspaces from overriding the binding of their project, on every path', async () => {
    const kept = (await create([element('env', 'test')])).body.data.id;
    const { id: key } = (await reserve({ key: 'env', 'disable-overrides': true })).body.data;

    const bound = '/data/relationships/tag-bindings';
    expect(await create([element('env', 'dev')])).toMatchObject(rejectionAt(bound));
    const flat = await create([], [{ type: 'tags', attributes: { name: 'env' } }]);
    expect(flat).toMatchObject(rejectionAt('/data/relationships/tags'));
    const { id } = (await create([element('team', 'red'), element('own', 'x')])).body.data;
    const bindings = [element('env', 'dev')];
    for (const [method, path, data, pointer = '/data'] of [
      ['PATCH', `/workspaces/${id}/tag-bindings`, bindings],
      ['POST', `/workspaces/${id}/relationships/tag-bindings`, bindings],
      ['PATCH', `/workspaces/${id}/relationships/tag-bindings`, bindings],
      ['POST', `/workspaces/${id}/relationships/tags`, [{ type: 'tags', attributes: { name: 'env' } }]],
      [
        'PATCH',
        `/workspaces/${id}`,
        { type: 'workspaces', relationships: { 'tag-bindings': { data: bindings } } },
        bound,
      ],
    ] as const) {
      expect(await send(method, path, data), `${method} ${path}`).toMatchObject(rejectionAt(pointer));
    }
    const { body } = await send('GET', `/workspaces/${id}/tag-bindings`);
    expect(keysIn(body)).toEqual(['team', 'own']);

    // An override from before the reservation stays, and can be sent again or removed.
    const again = await send('PATCH', `/workspaces/${kept}/tag-bindings`, [element('env', 'test'), element('a', 'b')]);
    expect(again.status).toBe(200);
    expect((await send('PATCH', `/workspaces/${kept}/relationships/tag-bindings`, [])).status).toBe(204);
    const lost = await send('PATCH', `/workspaces/${kept}/tag-bindings`, [element('env', 'test')]);
    expect(lost).toMatchObject(rejectionAt('/data'));

    await send('PATCH', `/reserved-tag-keys/${key}`, document({ 'disable-overrides': false }));
    expect((await send('PATCH', `/workspaces/${id}/tag-bindings`, bindings)).status).toBe(200);
    await send('DELETE', `/reserved-tag-keys/${key}`);
  });

  it('accepts the value of the project, which overrides nothing', async () => {
    const { id: key } = (await reserve({ key: 'team', 'disable-overrides': true })).body.data;
    const { status, body } = await create([element('team', 'blue')]);
    expect(status).toBe(201);
    const { id } = body.data;
    for (const [method, path] of [
      ['PATCH', `/workspaces/${id}/tag-bindings`],
      ['POST', `/workspaces/${id}/relationships/tag-bindings`],
      ['PATCH', `/workspaces/${id}/relationships/tag-bindings`],
    ] as const) {
      expect((await send(method, path, [element('team', 'blue')])).status, path).toBeLessThan(300);
      expect((await send(method, path, [element('team', 'red')])).status, path).toBe(422);
      expect((await send(method, path, [element('team')])).status, path).toBe(422);
    }
    await send('DELETE', `/reserved-tag-keys/${key}`);
  });

  describe('and a workspace with another value in another project', () => {
    const place = (id: string) => ({ project: { data: { type: 'projects', id } } });
    const createIn = async (id: string, bindings: object[]): Promise<string> => {
      const { body } = await send('POST', '/organizations/acme/workspaces', {
        type: 'workspaces',
        attributes: { name: `w-${++made}` },
        relationships: { ...place(id), 'tag-bindings': { data: bindings } },
      });
      return body.data.id;
    };
    const update = (id: string, relationships: object) =>
      send('PATCH', `/workspaces/${id}`, { type: 'workspaces', relationships });
    const projectOf = async (id: string) =>
      (await send('GET', `/workspaces/${id}`)).body.data.relationships.project.data.id;
    const bindingsOf = async (id: string) => keysIn((await send('GET', `/workspaces/${id}/tag-bindings`)).body);
    let other: string;
    let key: string;
    beforeAll(async () => {
      other = (await api.admin('create-project', { organization: 'acme', name: 'Other' })).project.id;
      key = (await reserve({ key: 'env', 'disable-overrides': true })).body.data.id;
    });

    it('cannot be moved into the project, by an update or by the project', async () => {
      const id = await createIn(other, [element('env', 'dev')]);
      const fine = await createIn(other, [element('env', 'prod')]);
      const pointer = '/data/relationships/project';
      expect(await update(id, place(project))).toMatchObject(rejectionAt(pointer));
      const both = { ...place(project), 'tag-bindings': { data: [element('env', 'stage')] } };
      expect(await update(id, both)).toMatchObject(rejectionAt('/data/relationships/tag-bindings'));
      const elements = [fine, id].map((one) => ({ type: 'workspaces', id: one }));
      const moved = await send('POST', `/projects/${project}/relationships/workspaces`, elements);
      expect(moved).toMatchObject(rejectionAt('/data/1/id'));
      expect([await projectOf(id), await projectOf(fine)]).toEqual([other, other]);

      // Without the override, or with the value of the project, it can.
      expect((await update(id, { ...place(project), 'tag-bindings': { data: [] } })).status).toBe(200);
      expect((await send('POST', `/projects/${project}/relationships/workspaces`, [elements[0]])).status).toBe(204);
      expect([await projectOf(id), await projectOf(fine)]).toEqual([project, project]);
    });

    it('is not changed by a binding that its project gets later, and is restored without the override', async () => {
      const id = await createIn(other, [element('env', 'dev'), element('own', 'x')]);
      const bound = await send('PATCH', `/projects/${other}/tag-bindings`, [element('env', 'prod')]);
      expect(bound.status).toBe(200);
      expect(await bindingsOf(id)).toEqual(['env', 'own']);
      expect(await send('PATCH', `/workspaces/${id}/tag-bindings`, [element('env', 'qa')])).toMatchObject(
        rejectionAt('/data'),
      );
      const [{ id: override }] = (await send('GET', `/workspaces/${id}/tag-bindings`)).body.data;
      expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(204);
      const restored = await send('POST', `/deleted-workspaces/${id}/actions/restore`);
      expect(restored).toMatchObject({
        status: 200,
        body: { meta: { dropped: [{ type: 'tag-bindings', id: override }] } },
      });
      expect(await bindingsOf(id)).toEqual(['own']);
      await send('DELETE', `/reserved-tag-keys/${key}`);
    });
  });

  it('restricts no workspace whose project does not bind the key', async () => {
    await reserve({ key: 'free', 'disable-overrides': true });
    expect((await create([element('free', 'x')])).status).toBe(201);
  });
});
