import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { buildState, inlineStateVersionBody, stateVersionBody } from '../../support/api/states.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { readEvents } from '../../support/events/read-events.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** Rollbacks to older state versions (STATE-21), and the deletion of their content (STATE-22). */
let api: Api;
let token: string;
let member: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const { team } = await api.admin('create-team', {
    organization: 'acme',
    name: 'managers',
    permissions: 'manage-workspaces',
  });
  member = (await send('POST', `/teams/${team.id}/authentication-token`)).body.data.attributes.token;
});
afterAll(async () => {
  await api.cleanup();
  expect((await checkTable(api.engine.database)).findings).toEqual([]);
  await api.stop();
});

const send = (method: string, path: string, body?: object, as = token): Promise<ApiResponse> =>
  api.request(method, path, { token: as, ...(body && { body }) });

let count = 0;
/** Creates a locked workspace with finalized state versions of these serials, oldest first. */
const createWithStates = async (...serials: readonly number[]) => {
  const attributes = { name: `w-${++count}` };
  const created = await send('POST', '/organizations/acme/workspaces', { data: { type: 'workspaces', attributes } });
  const path = `/workspaces/${created.body.data.id}`;
  expect((await send('POST', `${path}/actions/lock`)).status).toBe(200);
  const versions: string[] = [];
  for (const serial of serials) versions.push(await upload(path, serial));
  return { path, versions: versions as [string, ...string[]] };
};
const contentOf = (serial: number): Buffer =>
  // The outputs of the first version are too large for its item.
  buildState({
    serial,
    resources: serial,
    outputs: { name: { value: serial === 1 ? bigText : `v${serial}`, type: 'string' } },
  });
const bigText = Array.from({ length: 2_000 }, (_, index) => `${index * 7_919}`).join(' ');
const upload = async (path: string, serial: number): Promise<string> => {
  const body = inlineStateVersionBody(contentOf(serial), {
    serial,
    'json-state': Buffer.from('{}').toString('base64'),
  });
  const created = await send('POST', `${path}/state-versions`, body);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.data.id;
};
const rollback = (path: string, id: string, as = token) =>
  send(
    'PATCH',
    `${path}/state-versions`,
    {
      data: {
        type: 'state-versions',
        relationships: { 'rollback-state-version': { data: { type: 'state-versions', id } } },
      },
    },
    as,
  );
const download = async (id: string, kind = 'download'): Promise<Buffer> => {
  const { status, headers } = await send('GET', `/state-versions/${id}/${kind}`);
  expect(status).toBe(307);
  return Buffer.from(await (await fetch(String(headers['location']))).arrayBuffer());
};

describe('rollback', () => {
  it('creates a current version with the content, the serial and the outputs of the older one', async () => {
    const { path, versions } = await createWithStates(1, 2, 3);
    const { status, body, headers } = await rollback(path, versions[0]);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(headers).toHaveProperty('x-terraform-snapshot-interval');
    expect(versions).not.toContain(body.data.id);
    expect(body.data).toMatchObject({
      attributes: { serial: 1, status: 'finalized', 'resource-count': 1 },
      relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: versions[0] } } },
    });
    const current = await send('GET', `${path}/current-state-version?include=outputs`);
    expect(current.body.data.id).toBe(body.data.id);
    expect(current.body.included[0].attributes.value).toBe(bigText);
    expect(await download(body.data.id)).toEqual(contentOf(1));
    expect(String(await download(body.data.id, 'json-download'))).toBe('{}');
    // The command line continues from the serial in the content.
    await upload(path, 2);
    const list = await send(
      'GET',
      `/state-versions?filter[organization][name]=acme&filter[workspace][name]=w-${count}`,
    );
    expect(list.body.meta.pagination['total-count']).toBe(5);
    await api.deliverUploads();
  });

  it('a rollback names its version in the history and the event, and a forced upload of an older state names none', async () => {
    const [history, stream] = [await followHistory(api), await followStream(api.engine)];
    const { path, versions } = await createWithStates(1, 2);
    const rolledBack = await rollback(path, versions[0]);
    const forced = inlineStateVersionBody(contentOf(0), { serial: 0, force: true });
    const uploaded = await send('POST', `${path}/state-versions`, forced);
    const expected = [
      [rolledBack.body.data.id, 1, versions[0]],
      [uploaded.body.data.id, 0, undefined],
    ];
    const recordedIn = (created: readonly { stateVersion: Readonly<Record<string, unknown>> }[]) =>
      created.slice(-2).map(({ stateVersion }) => ['id', 'serial', 'rolledBackTo'].map((name) => stateVersion[name]));
    const entries = await history.read(path.split('/')[2] ?? '', token);
    const isCreation = (type: string) => type === 'workspace.state-version-created';
    const details = entries.filter(({ attributes }) => isCreation(attributes.action)).toReversed();
    expect(recordedIn(details.map(({ attributes }) => attributes.details))).toEqual(expected);
    expect(recordedIn((await readEvents(stream)).filter(({ type }) => isCreation(type)))).toEqual(expected);
  });

  it('needs the lock and is rejected with 409 without it', async () => {
    const { path, versions } = await createWithStates(1, 2);
    const other = await rollback(path, versions[0], member);
    expect(other).toMatchObject({
      status: 409,
      body: { errors: [{ detail: expect.stringMatching(/is locked by User/) }] },
    });
    await send('POST', `${path}/actions/unlock`);
    expect(await rollback(path, versions[0])).toMatchObject({
      status: 409,
      body: { errors: [{ detail: expect.stringMatching(/^This workspace is not locked/) }] },
    });
  });

  it('accepts a request without a type, but not with another type (HTTP-8)', async () => {
    const { path, versions } = await createWithStates(1, 2);
    const relationships = { 'rollback-state-version': { data: { type: 'state-versions', id: versions[0] } } };
    expect(await send('PATCH', `${path}/state-versions`, { data: { type: 'runs', relationships } })).toMatchObject({
      status: 422,
      body: { errors: [{ source: { pointer: '/data/type' } }] },
    });
    expect((await send('PATCH', `${path}/state-versions`, { data: { relationships } })).status).toBe(201);
  });

  it('rejects an unknown version, one of another workspace, and one without content with 422', async () => {
    const { path } = await createWithStates(1);
    const foreign = await createWithStates(1);
    const pending = await send('POST', `${path}/state-versions`, stateVersionBody(contentOf(2), { serial: 2 }));
    for (const id of ['sv-1111111111111111', 'nonsense', ...foreign.versions, pending.body.data.id]) {
      expect(await rollback(path, id)).toMatchObject({
        status: 422,
        body: { errors: [{ source: { pointer: '/data/relationships/rollback-state-version' } }] },
      });
    }
    expect((await send('PATCH', `${path}/state-versions`, { data: { type: 'state-versions' } })).status).toBe(422);
  });

  it('replaces a version that is pending', async () => {
    const { path, versions } = await createWithStates(1, 2);
    const pending = await send('POST', `${path}/state-versions`, stateVersionBody(contentOf(3), { serial: 3 }));
    expect((await rollback(path, versions[0])).status).toBe(201);
    const shown = await send('GET', `/state-versions/${pending.body.data.id}`);
    expect(shown.body.data.attributes.status).toBe('discarded');
  });
});

describe('backing data of a state version', () => {
  const act = (id: string, action: 'soft_delete' | 'restore' | 'permanently_delete', as = token) =>
    send('POST', `/state-versions/${id}/actions/${action}_backing_data`, undefined, as);
  const notAllowed = {
    status: 409,
    body: { errors: [{ title: 'conflict', detail: expect.stringContaining('transition not allowed') }] },
  };
  const readers = ['/download', '/json-download', '/outputs'] as const;

  it('cannot be read after a soft deletion, and can be restored', async () => {
    const { versions } = await createWithStates(1, 2);
    const [old] = versions;
    const outputs = (await send('GET', `/state-versions/${old}/outputs`)).body;
    const deleted = await act(old, 'soft_delete');
    expect(deleted).toMatchObject({
      status: 200,
      body: { data: { attributes: { status: 'backing_data_soft_deleted', 'hosted-state-download-url': null } } },
    });
    for (const reader of readers) expect((await send('GET', `/state-versions/${old}${reader}`)).status).toBe(404);
    expect((await send('GET', `/state-version-outputs/${outputs.data[0].id}`)).status).toBe(404);
    expect((await send('GET', `/state-versions/${old}?include=outputs`)).body.included).toEqual([]);
    expect(await act(old, 'soft_delete')).toMatchObject(notAllowed);

    expect(await act(old, 'restore')).toMatchObject({
      status: 200,
      body: { data: { attributes: { status: 'finalized', 'hosted-state-download-url': expect.any(String) } } },
    });
    expect(await download(old)).toEqual(contentOf(1));
    expect((await send('GET', `/state-versions/${old}/outputs`)).body).toEqual(outputs);
    expect(await act(old, 'restore')).toMatchObject(notAllowed);
  });

  it('is removed from the table and the bucket by a permanent deletion', async () => {
    const { path, versions } = await createWithStates(1, 2, 3);
    for (const id of versions.slice(0, 2)) {
      expect(await act(id, 'permanently_delete')).toMatchObject(notAllowed);
      await act(id, 'soft_delete');
      expect(await act(id, 'permanently_delete')).toMatchObject({
        status: 200,
        body: { data: { attributes: { status: 'backing_data_permanently_deleted' } } },
      });
      expect(await act(id, 'restore')).toMatchObject(notAllowed);
      expect((await rollback(path, id)).status).toBe(422);
    }
    expect((await checkTable(api.engine.database)).findings).toEqual([]);
    await api.cleanup();
    const kept = [...api.bucket.objects().keys()].filter((key) => versions.some((id) => key.endsWith(id)));
    expect(kept.every((key) => key.endsWith(versions[2] as string))).toBe(true);
    expect(kept).toHaveLength(2);
    const items: string[] = [];
    for await (const item of scanItems(api.engine.database)) items.push(JSON.stringify(item));
    expect(items.filter((item) => item.includes(`O#${versions[0]}`))).toEqual([]);
  });

  it('stays while the version is current, intermediate or pending', async () => {
    const { path, versions } = await createWithStates(1);
    const [current] = versions;
    expect(await act(current, 'soft_delete')).toMatchObject(notAllowed);
    const intermediate = inlineStateVersionBody(contentOf(2), { serial: 2, intermediate: true });
    const next = (await send('POST', `${path}/state-versions`, intermediate)).body.data.id;
    expect(await act(next, 'soft_delete')).toMatchObject(notAllowed);
    const pending = await send('POST', `${path}/state-versions`, stateVersionBody(contentOf(3), { serial: 3 }));
    expect(await act(pending.body.data.id, 'soft_delete')).toMatchObject(notAllowed);
  });

  it('of a version is changed by one of two concurrent requests', async () => {
    const { versions } = await createWithStates(1, 2);
    const replies = await Promise.all([act(versions[0], 'soft_delete'), act(versions[0], 'soft_delete')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('may be changed by owners only', async () => {
    const { versions } = await createWithStates(1, 2);
    expect((await act(versions[0], 'soft_delete', member)).status).toBe(404);
    expect((await act('sv-1111111111111111', 'soft_delete')).status).toBe(404);
  });
});
