import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import {
  buildState,
  computeMd5,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** Failed, late, wrong and concurrent uploads of states. */
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

const send = (method: string, path: string, body?: object, by = token): Promise<ApiResponse> =>
  api.request(method, path, { token: by, ...(body && { body }) });

let createdCount = 0;
const createLocked = async (): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++createdCount}` } } };
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
  send('POST', `${path}/state-versions`, stateVersionBody(content, attributes), by);
const getStatus = async ({ body }: ApiResponse): Promise<string> =>
  (await send('GET', `/state-versions/${body.data.id}`)).body.data.attributes.status;
const getCurrent = async (path: string) => (await send('GET', `${path}/current-state-version`)).body.data?.id;
const getDetail = ({ body }: ApiResponse): string => body.errors[0].detail;

const one = buildState({ serial: 1, resources: 1 });
const two = buildState({ serial: 2, resources: 2 });
const none = buildState({ serial: 3 });

/** Moves only the clock, by more than an hour. Timers and sockets continue in real time. */
const anHourLater = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 66 * 60_000 });

describe('POST /workspaces/:id/state-versions', () => {
  it('returns 409 to a caller who does not hold the lock', async () => {
    const path = await createLocked();
    const rejected = await recordChange(path, one, {}, other);
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].title).toBe('conflict');
    expect(getDetail(rejected)).toMatch(
      /^This workspace is locked by User \S+ and will only accept state uploads from them while locked\.$/,
    );
    await unlock(path);
    expect(getDetail(await recordChange(path, one))).toBe(
      'This workspace is not locked and will only accept state uploads when locked',
    );
  });
});

describe('new state version after serial 2', () => {
  const withState = async () => {
    const path = await createLocked();
    expect((await send('POST', `${path}/state-versions`, inlineStateVersionBody(two, { serial: 2 }))).status).toBe(201);
    return path;
  };

  it.each([
    ['a lower serial', one, { serial: 1 }, 412, '/data/attributes/serial'],
    ['the same serial with different content', one, { serial: 2 }, 412, '/data/attributes/serial'],
    ['another lineage', none, { serial: 3, lineage: 'other' }, 412, '/data/attributes/lineage'],
    ['the same serial and content', two, { serial: 2 }, 201, undefined],
    ['a higher serial without a lineage', none, { serial: 3, lineage: null }, 201, undefined],
    ['a lower serial with force', one, { serial: 1, force: true }, 201, undefined],
    ['another lineage with force', one, { serial: 1, lineage: 'other', force: true }, 201, undefined],
  ])('returns the expected status for %s', async (_, content, attributes, status, pointer) => {
    const path = await withState();
    const reply = await recordChange(path, content, attributes);
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    if (pointer) expect(reply.body.errors[0]).toMatchObject({ title: 'precondition failed', source: { pointer } });
  });

  it('is compared with the newest finalized version, not with a pending one', async () => {
    const path = await withState();
    await recordChange(path, none, { serial: 9 });
    expect((await recordChange(path, none, { serial: 3 })).status).toBe(201);
  });
});

describe('attributes of a new state version', () => {
  it.each([
    ['md5', { md5: 'x' }],
    ['md5', { md5: undefined }],
    ['md5', { md5: computeMd5(two) }],
    ['serial', { serial: -1 }],
    ['serial', { serial: undefined }],
    ['serial', { serial: '1' }],
    ['state', { state: '%%%' }],
    ['json-state', { 'json-state': '{}' }],
  ])('are rejected with a pointer to %s for %j', async (attribute, attributes) => {
    const path = await createLocked();
    const reply = await send('POST', `${path}/state-versions`, inlineStateVersionBody(one, attributes));
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ source: { pointer: `/data/attributes/${attribute}` } }] },
    });
  });

  it('may contain content only up to the request size limit', async () => {
    const path = await createLocked();
    const content = buildState({ outputs: { long: { value: 'x'.repeat(3_450_000), type: 'string' } } });
    expect((await send('POST', `${path}/state-versions`, inlineStateVersionBody(content))).status).toBe(201);
    const larger = buildState({ outputs: { long: { value: 'x'.repeat(3_460_000), type: 'string' } } });
    const rejected = await send('POST', `${path}/state-versions`, inlineStateVersionBody(larger));
    expect(rejected.status).toBe(413);
    expect(rejected.body.errors[0].detail).toMatch(/outputs.* too large.*lock is still held/);
  });
});

describe('uploaded content', () => {
  it('is ignored when its checksum differs, and the right content is still accepted', async () => {
    const path = await createLocked();
    const created = await recordChange(path, two);
    await upload(readUploadUrl(created), one);
    await api.deliverUploads();
    expect(await getStatus(created)).toBe('pending');
    expect(await unlock(path)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await upload(readUploadUrl(created), two);
    expect((await unlock(path)).status).toBe(200);
    expect(await getCurrent(path)).toBe(created.body.data.id);
  });

  it('is ignored when it is truncated', async () => {
    const path = await createLocked();
    const created = await recordChange(path, two);
    await upload(readUploadUrl(created), two.subarray(0, -10));
    expect((await unlock(path)).status).toBe(503);
    await upload(readUploadUrl(created), two.subarray(0, -10));
    await upload(readUploadUrl(created), two);
    await upload(readUploadUrl(created), Buffer.from('x'));
    expect((await unlock(path)).status).toBe(200);
  });

  it('is ignored when it arrives after the right content', async () => {
    const path = await createLocked();
    const created = await recordChange(path, two);
    await upload(readUploadUrl(created), two);
    await api.deliverUploads();
    expect(await getStatus(created)).toBe('finalized');
    await upload(readUploadUrl(created), one);
    await upload(readUploadUrl(created), two);
    const download = async () => {
      const { headers } = await send('GET', `/state-versions/${created.body.data.id}/download`);
      return Buffer.from(await (await fetch(headers['location'] as string)).arrayBuffer());
    };
    expect(await download()).toEqual(two);
    await api.deliverUploads();
    expect(await download()).toEqual(two);
    const [key = ''] = [...api.bucket.objects().keys()].filter((it) => it.endsWith(created.body.data.id));
    expect(api.bucket.listVersions(key)).toHaveLength(1);
  });

  it('is ignored when it is larger than the limit for states', async () => {
    const path = await createLocked();
    const content = Buffer.alloc(100 * 1024 * 1024 + 1, 32);
    const created = await recordChange(path, content);
    await upload(readUploadUrl(created), content);
    await api.deliverUploads();
    expect(await getStatus(created)).toBe('pending');
    expect([...api.bucket.objects().keys()].some((key) => key.endsWith(created.body.data.id))).toBe(false);
  });
});

describe('pending state version', () => {
  it('prevents unlock and safe-delete until its content arrives', async () => {
    const path = await createLocked();
    await recordChange(path, one);
    const rejected = await unlock(path);
    expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(getDetail(rejected)).toContain('latest state version is still pending');
    expect(getDetail(rejected)).toContain('Content is discarded if its MD5 is not the one that was announced');
    expect((await forceUnlock(path)).status).toBe(200);
    expect(getDetail(await safeDelete(path))).toContain('being processed');
    expect(await send('GET', `${path}/current-state-version-outputs`)).toMatchObject({ status: 503 });
  });

  it('becomes current when its content arrives after a force-unlock', async () => {
    const path = await createLocked();
    const created = await recordChange(path, one);
    await forceUnlock(path);
    await upload(readUploadUrl(created), one);
    expect(getDetail(await safeDelete(path))).toContain('manages resources');
    expect(await getCurrent(path)).toBe(created.body.data.id);
  });

  it('becomes current even while another user holds the lock, whose next state must follow it', async () => {
    const path = await createLocked();
    const created = await recordChange(path, two, { serial: 2 });
    await forceUnlock(path);
    await lock(path, other);
    await upload(readUploadUrl(created), two);
    expect((await recordChange(path, one, { serial: 1 }, other)).status).toBe(412);
    expect(await getCurrent(path)).toBe(created.body.data.id);
  });

  it('is discarded by a newer one, and its later upload changes nothing', async () => {
    const path = await createLocked();
    const older = await recordChange(path, one);
    const { sinceLast } = await followStream(api.engine);
    const newer = await recordChange(path, two, { serial: 2 });
    expect(await getStatus(older)).toBe('discarded');
    const [{ dynamodb } = {}] = (await sinceLast()).filter(({ dynamodb: it }) => it?.NewImage?.['chg']);
    expect(dynamodb?.NewImage?.['chg']?.M?.['stateVersion']?.M).toEqual({
      id: { S: newer.body.data.id },
      serial: { N: '2' },
      supersedes: { S: older.body.data.id },
    });
    await upload(readUploadUrl(older), one);
    await api.deliverUploads();
    expect(await getStatus(older)).toBe('discarded');
    expect([...api.bucket.objects().keys()].some((key) => key.endsWith(older.body.data.id))).toBe(false);
    await upload(readUploadUrl(newer), two);
    expect((await unlock(path)).status).toBe(200);
    expect(await getCurrent(path)).toBe(newer.body.data.id);
  });

  it('is finalized instead of discarded when its content has arrived before the newer one', async () => {
    const path = await createLocked();
    const older = await recordChange(path, one);
    await upload(readUploadUrl(older), one);
    const newer = await recordChange(path, two, { serial: 2 });
    expect(newer.status).toBe(201);
    expect(await getStatus(older)).toBe('finalized');
  });

  it('is finalized once, even if several events and requests find its content', async () => {
    const path = await createLocked();
    const created = await recordChange(path, one);
    await upload(readUploadUrl(created), one);
    const events = api.bucket.takeEvents();
    const invoke = () => api.readContent(events[0]);
    await Promise.all([invoke(), invoke(), unlock(path)]);
    await invoke();
    expect(await getStatus(created)).toBe('finalized');
    expect((await unlock(path)).status).toBe(409);
    expect(await getCurrent(path)).toBe(created.body.data.id);
  });

  it('prevents unlock and safe-delete while the bucket is unavailable', async () => {
    const path = await createLocked();
    const created = await recordChange(path, one);
    await upload(readUploadUrl(created), one);
    api.bucket.fail(true);
    expect((await unlock(path)).status).toBe(503);
    await forceUnlock(path);
    expect((await safeDelete(path)).status).toBe(503);
    api.bucket.fail(false);
    expect(getDetail(await safeDelete(path))).toContain('manages resources');
  });
});

describe('expired pending state version', () => {
  it('is discarded an hour after its creation', async () => {
    const path = await createLocked();
    const created = await recordChange(path, one);
    expect((await unlock(path)).status).toBe(503);
    anHourLater();
    expect(await upload(readUploadUrl(created), one)).toBe(403);
    expect(await getStatus(created)).toBe('discarded');
    expect((await unlock(path)).status).toBe(200);
    expect((await safeDelete(path)).status).toBe(204);
  });

  it('is finalized instead of discarded when its content is in the bucket', async () => {
    const [path, orphaned] = [await createLocked(), await createLocked()];
    const created = await recordChange(path, one);
    await upload(readUploadUrl(created), one);
    const lost = await recordChange(orphaned, one);
    await forceUnlock(orphaned);
    await upload(readUploadUrl(lost), one);
    anHourLater();
    expect((await unlock(path)).status).toBe(200);
    expect(await getCurrent(path)).toBe(created.body.data.id);
    expect(getDetail(await safeDelete(path))).toContain('manages resources');
    expect(getDetail(await safeDelete(orphaned))).toContain('manages resources');
  });
});

describe('safe-delete with a current state', () => {
  it.each([
    ['resources', one, 409],
    ['no resources', none, 204],
    ['unreadable content', Buffer.from('{"encrypted_data":"x","serial":1}'), 409],
  ])('returns the expected status for a state with %s', async (_, content, status) => {
    const path = await createLocked();
    await send('POST', `${path}/state-versions`, inlineStateVersionBody(content));
    expect(getDetail(await safeDelete(path))).toContain('locked');
    await unlock(path);
    const reply = await safeDelete(path);
    expect(reply.status).toBe(status);
    if (status === 409) expect(getDetail(reply)).not.toMatch(/locked|being processed/);
  });

  it('deletes the state from the table and the bucket together with the workspace', async () => {
    const path = await createLocked();
    const { byType: before } = await api.admin('check-table');
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`o${n}`, { value: computeMd5(Buffer.from(String(n))) }]),
    );
    const content = buildState({ outputs: many });
    const body = inlineStateVersionBody(content, { 'json-state': 'e30=' });
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
