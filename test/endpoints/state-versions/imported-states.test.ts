import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import {
  computeMd5,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { readEvents } from '../../support/events/read-events.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** State versions that say where they were imported from, and histories as they come from other services (STATE-24 to STATE-26). */
let api: Api;
let token: string;
let history: Awaited<ReturnType<typeof followHistory>>;
let stream: Awaited<ReturnType<typeof followStream>>;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  history = await followHistory(api);
  stream = await followStream(api.engine);
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

const send = (method: string, path: string, body?: object, key?: string): Promise<ApiResponse> =>
  api.request(method, path, {
    token,
    ...(body && { body }),
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

let count = 0;
/** Creates a workspace that is locked under a lease, as an importer does. */
const createLocked = async () => {
  const name = `w-${++count}`;
  const body = { data: { type: 'workspaces', attributes: { name } } };
  const { id } = (await send('POST', '/organizations/acme/workspaces', body)).body.data;
  const lock = { reason: 'import', 'lease-seconds': 600 };
  expect((await send('POST', `/workspaces/${id}/actions/lock`, lock)).status).toBe(200);
  return { id: id as string, name, path: `/workspaces/${id}/state-versions` };
};

/** Builds a state of the source. `mark` distinguishes states of the same serial. */
const stateOf = (serial: number, lineage: string, mark = '') =>
  Buffer.from(
    JSON.stringify({ version: 4, terraform_version: '1.9.8', serial, lineage, outputs: {}, resources: [], mark }),
  );
const bodyOf = (serial: number, lineage: string, content: Buffer, attributes: object = {}) =>
  inlineStateVersionBody(content, { serial, lineage, ...attributes });

const source = {
  host: 'app.terraform.io',
  organization: 'acme-old',
  id: 'sv-CvpbqPPtsWSnyrTk',
  'created-at': '2021-03-04T05:06:07.890Z',
  'created-by': 'ada',
  commit: 'a1b2c3d4',
};
const create = async (path: string, from: object | null, serial = 1) => {
  const content = stateOf(serial, 'a');
  const reply = await send('POST', path, bodyOf(serial, 'a', content, { 'imported-from': from }));
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};
const list = (name: string, query = '') =>
  send('GET', `/state-versions?filter[organization][name]=acme&filter[workspace][name]=${name}${query}`);
const idsOf = ({ body }: ApiResponse): readonly string[] => body.data.map(({ id }: { id: string }) => id);

describe('imported-from of a state version', () => {
  it('is shown by the creation, by reads and in lists, and null for other versions', async () => {
    const { name, path, id } = await createLocked();
    const plain = await create(path, null);
    const imported = await create(path, source, 2);
    expect(imported.attributes['imported-from']).toEqual(source);
    expect(
      (await send('GET', `/workspaces/${id}/current-state-version`)).body.data.attributes['imported-from'],
    ).toEqual(source);
    const listed = (await list(name)).body.data;
    expect(listed.map(({ attributes }: ApiResponse['body']) => attributes['imported-from'])).toEqual([source, null]);
    expect(plain.attributes['imported-from']).toBeNull();
  });

  it.each([
    ['imported-from', 'app.terraform.io'],
    ['imported-from/host', { id: 'sv-1' }],
    ['imported-from/id', { host: 'h', id: '' }],
    ['imported-from/id', { host: 'h', id: 'tab\there' }],
    ['imported-from/created-at', { host: 'h', id: 'sv-1', 'created-at': '2021-13-01T00:00:00Z' }],
    ['imported-from/commit', { host: 'h', id: 'sv-1', commit: 'c'.repeat(256) }],
    ['imported-from/name', { host: 'h', id: 'sv-1', name: 'only workspaces have one' }],
  ])('is rejected with a pointer to %s if it is %j', async (pointer, from) => {
    const { path } = await createLocked();
    const reply = await send('POST', path, bodyOf(1, 'a', stateOf(1, 'a'), { 'imported-from': from }));
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ source: { pointer: `/data/attributes/${pointer}` } }] },
    });
  });

  it('is part of the entry and the event of the creation', async () => {
    const { id, path } = await createLocked();
    await create(path, source);
    const entries = await history.read(id, token);
    const entry = entries.find(({ attributes: { action } }) => action === 'workspace.state-version-created');
    const recorded = {
      host: source.host,
      organization: source.organization,
      id: source.id,
      createdAt: source['created-at'],
      createdBy: source['created-by'],
      commit: source.commit,
    };
    expect(entry?.attributes.details.stateVersion.importedFrom).toEqual(recorded);
    const events = await readEvents(stream);
    const [event] = events.filter(({ type, workspace }) => workspace.id === id && type.endsWith('version-created'));
    expect(event.stateVersion.importedFrom).toEqual(recorded);
  });

  it('does not belong to the version that a rollback creates', async () => {
    const { id, path } = await createLocked();
    const first = await create(path, source);
    await create(path, null, 2);
    const relationships = { 'rollback-state-version': { data: { type: 'state-versions', id: first.id } } };
    const rolledBack = await send('PATCH', `/workspaces/${id}/state-versions`, {
      data: { type: 'state-versions', relationships },
    });
    expect(rolledBack.body.data.attributes).toMatchObject({ md5: first.attributes.md5, 'imported-from': null });
  });

  it('is the same in the response to a repeated creation, which creates no second version', async () => {
    const { name, path } = await createLocked();
    const body = bodyOf(1, 'a', stateOf(1, 'a'), { 'imported-from': source });
    const [first, second] = [await send('POST', path, body, `k-${name}`), await send('POST', path, body, `k-${name}`)];
    expect(second.body.data).toEqual(first.body.data);
    expect(idsOf(await list(name))).toEqual([first.body.data.id]);
  });
});

describe('filter[imported-from][id] of state versions', () => {
  it('selects the versions that were imported from the id, with exact totals and pages', async () => {
    const { name, path } = await createLocked();
    const created: string[] = [];
    for (const [index, id] of ['one', 'two', 'one', 'three', 'one'].entries()) {
      created.push((await create(path, { host: 'h', id }, index + 1)).id);
    }
    await create(path, null, 6);
    const [first, second, third, fourth, fifth] = created;
    const ones = await list(name, '&filter[imported-from][id]=one');
    expect(idsOf(ones)).toEqual([fifth, third, first]);
    expect(ones.body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 1 });
    const page = await list(name, '&filter[imported-from][id]=one&page[size]=2&page[number]=2');
    expect(idsOf(page)).toEqual([first]);
    expect(page.body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 2 });
    expect(page.body.links.prev).toContain(encodeURIComponent('filter[imported-from][id]'));
    expect(idsOf(await list(name, '&filter[imported-from][id]=two'))).toEqual([second]);
    expect(idsOf(await list(name, '&filter[imported-from][id]=three'))).toEqual([fourth]);
    const none = await list(name, '&filter[imported-from][id]=on');
    expect([idsOf(none), none.body.meta.pagination['total-count']]).toEqual([[], 0]);
    expect(idsOf(await list(name, '&filter[imported-from][id]='))).toHaveLength(6);
  });
});

describe('a history of another service', () => {
  /** Versions of the source, oldest first, and whether the importer needs `force` for them. */
  const versions = [
    { serial: 1, lineage: 'a', mark: 'first' },
    { serial: 4, lineage: 'a', mark: 'gap' },
    { serial: 2, lineage: 'a', mark: 'rolled back', force: true },
    { serial: 3, lineage: 'a', mark: 'third' },
    { serial: 4, lineage: 'a', mark: 'the serial for the second time' },
    { serial: 4, lineage: 'a', mark: 'the same serial twice in a row', force: true },
    { serial: 4, lineage: 'a', mark: 'the same serial twice in a row' },
    { serial: 0, lineage: 'b', mark: 'another lineage', force: true },
    { serial: 9, lineage: 'b', mark: 'grown' },
    { serial: 5, lineage: 'b', mark: 'the current one', force: true },
  ];

  const expectStored = async ({ id, name }: { id: string; name: string }, created: readonly string[]) => {
    const listed = await list(name);
    expect(idsOf(listed)).toEqual(created.toReversed());
    for (const [index, { id: version, attributes }] of listed.body.data.toReversed().entries()) {
      const { serial, lineage, mark } = versions[index] as (typeof versions)[number];
      const content = stateOf(serial, lineage, mark);
      expect(attributes).toMatchObject({ serial, lineage, md5: computeMd5(content), size: content.length });
      expect(attributes).toMatchObject({ status: 'finalized', 'imported-from': { id: `sv-${index}` } });
      const { headers } = await send('GET', `/state-versions/${version}/download`);
      expect(Buffer.from(await (await fetch(String(headers['location']))).arrayBuffer())).toEqual(content);
    }
    const current = await send('GET', `/workspaces/${id}/current-state-version`);
    expect(current.body.data.id).toBe(created.at(-1));
  };

  /** Requires that the next writer continues the newest version without `force`. */
  const expectContinues = async ({ id, path }: { id: string; path: string }) => {
    const next = stateOf(6, 'b', 'after the import');
    expect((await send('POST', path, bodyOf(6, 'b', next))).status).toBe(201);
    expect((await send('POST', `/workspaces/${id}/actions/unlock`)).status).toBe(200);
    expect((await send('GET', `/workspaces/${id}/current-state-version`)).body.data.attributes.serial).toBe(6);
  };

  it('is stored in order and byte by byte by one request for each version that contains the state', async () => {
    const workspace = await createLocked();
    const created: string[] = [];
    for (const [index, { serial, lineage, mark, force }] of versions.entries()) {
      const from = { 'imported-from': { host: 'app.terraform.io', id: `sv-${index}` } };
      const body = bodyOf(serial, lineage, stateOf(serial, lineage, mark), from);
      const plain = force ? await send('POST', workspace.path, body) : undefined;
      expect(plain?.status ?? 412, 'a version that does not follow needs force').toBe(412);
      const { attributes } = body.data;
      const reply = await send('POST', workspace.path, {
        data: { ...body.data, attributes: { ...attributes, ...(force && { force }) } },
      });
      expect(reply, mark).toMatchObject({ status: 201, body: { data: { attributes: { status: 'finalized' } } } });
      created.push(reply.body.data.id);
    }
    await expectStored(workspace, created);
    await expectContinues(workspace);
  });

  it('is stored by uploads without a wait: the next creation reads the content of the version before', async () => {
    const workspace = await createLocked();
    const created: string[] = [];
    for (const [index, { serial, lineage, mark, force = false }] of versions.entries()) {
      const content = stateOf(serial, lineage, mark);
      const from = { 'imported-from': { host: 'app.terraform.io', id: `sv-${index}` } };
      const reply = await send('POST', workspace.path, stateVersionBody(content, { serial, lineage, force, ...from }));
      expect(reply.status, mark).toBe(201);
      created.push(reply.body.data.id);
      expect(await upload(readUploadUrl(reply), content)).toBe(200);
    }
    // The unlock reads the last one, and a caller locks again to continue.
    expect((await send('POST', `/workspaces/${workspace.id}/actions/unlock`)).status).toBe(200);
    await expectStored(workspace, created);
    expect((await send('POST', `/workspaces/${workspace.id}/actions/lock`)).status).toBe(200);
    await expectContinues(workspace);
  });

  it('becomes visible to readers at the end of the lock if its versions are intermediate', async () => {
    const workspace = await createLocked();
    await create(workspace.path, null, 1);
    const before = await send('GET', `/workspaces/${workspace.id}/current-state-version`);
    for (const [index, { serial, lineage, mark }] of versions.slice(1, 3).entries()) {
      const attributes = { intermediate: true, force: true, 'imported-from': { host: 'h', id: `sv-${index}` } };
      const body = bodyOf(serial, lineage, stateOf(serial, lineage, mark), attributes);
      expect((await send('POST', workspace.path, body)).body.data.attributes.status).toBe('finalized');
    }
    const during = await send('GET', `/workspaces/${workspace.id}/current-state-version`);
    expect(during.body.data.id).toBe(before.body.data.id);
    expect((await send('POST', `/workspaces/${workspace.id}/actions/unlock`)).status).toBe(200);
    const after = await send('GET', `/workspaces/${workspace.id}/current-state-version`);
    expect(after.body.data.attributes).toMatchObject({ serial: 2, 'imported-from': { id: 'sv-1' } });
  });
});
