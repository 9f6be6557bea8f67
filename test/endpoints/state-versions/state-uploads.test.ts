import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { inlineBody, md5Of, stateBody, stateOf, upload, uploadUrlOf } from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** What goes wrong with uploads, or is done to make them go wrong. */
let api: Api;
let token: string;
let other: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await api.admin('add-member', { organization: 'acme', team: 'owners', username: 'grace' });
  ({ token: other } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
});
afterAll(() => api.stop());
afterEach(() => vi.useRealTimers());

const send = (method: string, path: string, body?: object, by = token): Promise<Reply> =>
  api.request(method, path, { token: by, ...(body && { body }) });

let made = 0;
const locked = async (): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++made}` } } };
  const path = `/workspaces/${(await send('POST', '/organizations/acme/workspaces', body)).body.data.id}`;
  await lock(path);
  return path;
};
const lock = async (path: string, by?: string) => {
  expect((await send('POST', `${path}/actions/lock`, undefined, by)).status).toBe(200);
};
const unlock = (path: string, by?: string) => send('POST', `${path}/actions/unlock`, undefined, by);
const forceUnlock = (path: string) => send('POST', `${path}/actions/force-unlock`);
const safeDelete = (path: string) => send('POST', `${path}/actions/safe-delete`);
const recordChange = (path: string, content: Buffer, attributes: object = {}, by?: string) =>
  send('POST', `${path}/state-versions`, stateBody(content, attributes), by);
const statusOf = async ({ body }: Reply): Promise<string> =>
  (await send('GET', `/state-versions/${body.data.id}`)).body.data.attributes.status;
const currentOf = async (path: string) => (await send('GET', `${path}/current-state-version`)).body.data?.id;
const detailOf = ({ body }: Reply): string => body.errors[0].detail;

const one = stateOf({ serial: 1, resources: 1 });
const two = stateOf({ serial: 2, resources: 2 });
const none = stateOf({ serial: 3 });

/** The clock alone, an hour and more on: what waits for timers and sockets goes on. */
const anHourLater = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 66 * 60_000 });

describe('who may send a state', () => {
  it('is who holds the lock', async () => {
    const path = await locked();
    const refused = await recordChange(path, one, {}, other);
    expect(refused.status).toBe(409);
    expect(refused.body.errors[0].title).toBe('conflict');
    expect(detailOf(refused)).toMatch(
      /^This workspace is locked by User \S+ and will only accept state uploads from them while locked\.$/,
    );
    await unlock(path);
    expect(detailOf(await recordChange(path, one))).toBe(
      'This workspace is not locked and will only accept state uploads when locked',
    );
  });
});

describe('what a state has to follow', () => {
  const withState = async () => {
    const path = await locked();
    expect((await send('POST', `${path}/state-versions`, inlineBody(two, { serial: 2 }))).status).toBe(201);
    return path;
  };

  it.each([
    ['a lower serial', one, { serial: 1 }, 412, '/data/attributes/serial'],
    ['the same serial with another content', one, { serial: 2 }, 412, '/data/attributes/serial'],
    ['another lineage', none, { serial: 3, lineage: 'other' }, 412, '/data/attributes/lineage'],
    ['the same again', two, { serial: 2 }, 201, undefined],
    ['a higher serial without a lineage', none, { serial: 3, lineage: null }, 201, undefined],
    ['a lower serial, by force', one, { serial: 1, force: true }, 201, undefined],
    ['another lineage, by force', one, { serial: 1, lineage: 'other', force: true }, 201, undefined],
  ])('%s', async (_, content, attributes, status, pointer) => {
    const path = await withState();
    const reply = await recordChange(path, content, attributes);
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    if (pointer) expect(reply.body.errors[0]).toMatchObject({ title: 'precondition failed', source: { pointer } });
  });

  it('is the newest finalized one, not one that is still pending', async () => {
    const path = await withState();
    await recordChange(path, none, { serial: 9 });
    expect((await recordChange(path, none, { serial: 3 })).status).toBe(201);
  });
});

describe('what a request has to be', () => {
  it.each([
    ['md5', { md5: 'x' }],
    ['md5', { md5: undefined }],
    ['md5', { md5: md5Of(two) }],
    ['serial', { serial: -1 }],
    ['serial', { serial: undefined }],
    ['serial', { serial: '1' }],
    ['state', { state: '%%%' }],
    ['json-state', { 'json-state': '{}' }],
  ])('of a right %s: %j', async (attribute, attributes) => {
    const path = await locked();
    const reply = await send('POST', `${path}/state-versions`, inlineBody(one, attributes));
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ source: { pointer: `/data/attributes/${attribute}` } }] },
    });
  });

  it('of at most 4 MiB', async () => {
    const path = await locked();
    const content = stateOf({ outputs: { long: { value: 'x'.repeat(3_000_000), type: 'string' } } });
    expect((await send('POST', `${path}/state-versions`, inlineBody(content))).status).toBe(201);
    const larger = stateOf({ outputs: { long: { value: 'x'.repeat(3_200_000), type: 'string' } } });
    expect((await send('POST', `${path}/state-versions`, inlineBody(larger))).status).toBe(413);
  });
});

describe('content that is not what was announced', () => {
  it('is not taken, and does not stop the right one', async () => {
    const path = await locked();
    const created = await recordChange(path, two);
    await upload(uploadUrlOf(created), one);
    await api.deliverUploads();
    expect(await statusOf(created)).toBe('pending');
    expect(await unlock(path)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await upload(uploadUrlOf(created), two);
    expect((await unlock(path)).status).toBe(200);
    expect(await currentOf(path)).toBe(created.body.data.id);
  });

  it('that was cut off on its way is another one', async () => {
    const path = await locked();
    const created = await recordChange(path, two);
    await upload(uploadUrlOf(created), two.subarray(0, -10));
    expect((await unlock(path)).status).toBe(503);
    await upload(uploadUrlOf(created), two.subarray(0, -10));
    await upload(uploadUrlOf(created), two);
    await upload(uploadUrlOf(created), Buffer.from('x'));
    expect((await unlock(path)).status).toBe(200);
  });

  it('that comes after the right one changes nothing', async () => {
    const path = await locked();
    const created = await recordChange(path, two);
    await upload(uploadUrlOf(created), two);
    await api.deliverUploads();
    expect(await statusOf(created)).toBe('finalized');
    await upload(uploadUrlOf(created), one);
    await upload(uploadUrlOf(created), two);
    const download = async () => {
      const { headers } = await send('GET', `/state-versions/${created.body.data.id}/download`);
      return Buffer.from(await (await fetch(headers['location'] as string)).arrayBuffer());
    };
    expect(await download()).toEqual(two);
    await api.deliverUploads();
    expect(await download()).toEqual(two);
    const [key = ''] = [...api.bucket.objects().keys()].filter((it) => it.endsWith(created.body.data.id));
    expect(api.bucket.versionsOf(key)).toHaveLength(1);
  });

  it('is not taken when it is larger than a state may be', async () => {
    const path = await locked();
    const content = Buffer.alloc(100 * 1024 * 1024 + 1, 32);
    const created = await recordChange(path, content);
    await upload(uploadUrlOf(created), content);
    await api.deliverUploads();
    expect(await statusOf(created)).toBe('pending');
    expect([...api.bucket.objects().keys()].some((key) => key.endsWith(created.body.data.id))).toBe(false);
  });
});

describe('a state that waits for its content', () => {
  it('keeps its lock from being released, and its workspace from being deleted', async () => {
    const path = await locked();
    await recordChange(path, one);
    const refused = await unlock(path);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(detailOf(refused)).toContain('latest state version is still pending');
    expect((await forceUnlock(path)).status).toBe(200);
    expect(detailOf(await safeDelete(path))).toContain('being processed');
    expect(await send('GET', `${path}/current-state-version-outputs`)).toMatchObject({ status: 503 });
  });

  it('becomes the current one when it comes after a force-unlock', async () => {
    const path = await locked();
    const created = await recordChange(path, one);
    await forceUnlock(path);
    await upload(uploadUrlOf(created), one);
    expect(detailOf(await safeDelete(path))).toContain('manages resources');
    expect(await currentOf(path)).toBe(created.body.data.id);
  });

  it('becomes the current one also while somebody else holds the lock, whose state then has to follow it', async () => {
    const path = await locked();
    const created = await recordChange(path, two, { serial: 2 });
    await forceUnlock(path);
    await lock(path, other);
    await upload(uploadUrlOf(created), two);
    expect((await recordChange(path, one, { serial: 1 }, other)).status).toBe(412);
    expect(await currentOf(path)).toBe(created.body.data.id);
  });

  it('is discarded by a newer one, and its upload then changes nothing', async () => {
    const path = await locked();
    const older = await recordChange(path, one);
    const { sinceLast } = await followStream(api.engine);
    const newer = await recordChange(path, two, { serial: 2 });
    expect(await statusOf(older)).toBe('discarded');
    const [{ dynamodb } = {}] = (await sinceLast()).filter(({ dynamodb: it }) => it?.NewImage?.['chg']);
    expect(dynamodb?.NewImage?.['chg']?.M?.['stateVersion']?.M).toEqual({
      id: { S: newer.body.data.id },
      serial: { N: '2' },
      supersedes: { S: older.body.data.id },
    });
    await upload(uploadUrlOf(older), one);
    await api.deliverUploads();
    expect(await statusOf(older)).toBe('discarded');
    expect([...api.bucket.objects().keys()].some((key) => key.endsWith(older.body.data.id))).toBe(false);
    await upload(uploadUrlOf(newer), two);
    expect((await unlock(path)).status).toBe(200);
    expect(await currentOf(path)).toBe(newer.body.data.id);
  });

  it('is not discarded by a newer one when its content has come', async () => {
    const path = await locked();
    const older = await recordChange(path, one);
    await upload(uploadUrlOf(older), one);
    const newer = await recordChange(path, two, { serial: 2 });
    expect(newer.status).toBe(201);
    expect(await statusOf(older)).toBe('finalized');
  });

  it('is read once, whoever hears of it and how often', async () => {
    const path = await locked();
    const created = await recordChange(path, one);
    await upload(uploadUrlOf(created), one);
    const events = api.bucket.takeEvents();
    const invoke = () => api.readContent(events[0]);
    await Promise.all([invoke(), invoke(), unlock(path)]);
    await invoke();
    expect(await statusOf(created)).toBe('finalized');
    expect((await unlock(path)).status).toBe(409);
    expect(await currentOf(path)).toBe(created.body.data.id);
  });

  it('cannot be passed over while nobody can look', async () => {
    const path = await locked();
    const created = await recordChange(path, one);
    await upload(uploadUrlOf(created), one);
    api.bucket.fail(true);
    expect((await unlock(path)).status).toBe(503);
    await forceUnlock(path);
    expect((await safeDelete(path)).status).toBe(503);
    api.bucket.fail(false);
    expect(detailOf(await safeDelete(path))).toContain('manages resources');
  });
});

describe('a state that never came', () => {
  it('is given up an hour later', async () => {
    const path = await locked();
    const created = await recordChange(path, one);
    expect((await unlock(path)).status).toBe(503);
    anHourLater();
    expect(await upload(uploadUrlOf(created), one)).toBe(403);
    expect(await statusOf(created)).toBe('discarded');
    expect((await unlock(path)).status).toBe(200);
    expect((await safeDelete(path)).status).toBe(204);
  });

  it('is looked for before it is given up', async () => {
    const [path, orphaned] = [await locked(), await locked()];
    const created = await recordChange(path, one);
    await upload(uploadUrlOf(created), one);
    const lost = await recordChange(orphaned, one);
    await forceUnlock(orphaned);
    await upload(uploadUrlOf(lost), one);
    anHourLater();
    expect((await unlock(path)).status).toBe(200);
    expect(await currentOf(path)).toBe(created.body.data.id);
    expect(detailOf(await safeDelete(path))).toContain('manages resources');
    expect(detailOf(await safeDelete(orphaned))).toContain('manages resources');
  });
});

describe('what the current state manages', () => {
  it.each([
    ['resources', one, 409],
    ['nothing', none, 204],
    ['nobody knows what', Buffer.from('{"encrypted_data":"x","serial":1}'), 409],
  ])('%s: decides whether its workspace can be deleted', async (_, content, status) => {
    const path = await locked();
    await send('POST', `${path}/state-versions`, inlineBody(content));
    expect(detailOf(await safeDelete(path))).toContain('locked');
    await unlock(path);
    const reply = await safeDelete(path);
    expect(reply.status).toBe(status);
    if (status === 409) expect(detailOf(reply)).not.toMatch(/locked|being processed/);
  });

  it('goes with its workspace, out of the table and out of the bucket', async () => {
    const path = await locked();
    const { byType: before } = await api.admin('check-table');
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`o${n}`, { value: md5Of(Buffer.from(String(n))) }]),
    );
    const content = stateOf({ outputs: many });
    const body = inlineBody(content, { 'json-state': 'e30=' });
    const { body: created } = await send('POST', `${path}/state-versions`, body);
    await unlock(path);
    expect((await safeDelete(path)).status).toBe(204);
    expect((await send('GET', `/state-versions/${created.data.id}`)).status).toBe(404);
    expect(await api.cleanup()).toMatchObject({ failed: 0 });
    expect([...api.bucket.objects().keys()].filter((key) => key.endsWith(created.data.id))).toEqual([]);
    const { findings, byType } = await api.admin('check-table');
    expect(findings).toEqual([]);
    expect(byType['state-outputs']).toBe(before['state-outputs']);
  });
});
