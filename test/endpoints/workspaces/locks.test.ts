import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import {
  buildState,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload as uploadContent,
} from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';
import { readEvents } from '../../support/events/read-events.ts';

/** Attributes of locks, errors that name the holder, and locks under leases. */
let api: Api;
let ada: string;
let grace: string;
let stream: Awaited<ReturnType<typeof followStream>>;
let userId: string;

beforeAll(async () => {
  api = await startApi();
  ({ token: ada } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await api.admin('add-member', { organization: 'acme', team: 'owners', username: 'grace' });
  ({ token: grace } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
  userId = (await api.request('GET', '/account/details', { token: ada })).body.data.id;
  stream = await followStream(api.engine);
});
afterAll(async () => {
  const { findings } = await api.admin('check-table');
  expect(findings).toEqual([]);
  await api.stop();
});
afterEach(() => vi.useRealTimers());

const send = (method: string, path: string, body?: object, token = ada): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });
const act = (path: string, action: string, body?: object, token = ada) =>
  send('POST', `${path}/actions/${action}`, body, token);
let created = 0;
const create = async (): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++created}` } } };
  return `/workspaces/${(await send('POST', '/organizations/acme/workspaces', body)).body.data.id}`;
};
const attributesOf = async (path: string) => (await send('GET', path)).body.data.attributes;
const currentOf = async (path: string) => (await send('GET', `${path}/current-state-version`)).body.data?.id;
const upload = (path: string, serial: number, attributes: object = {}, token = ada) =>
  send(
    'POST',
    `${path}/state-versions`,
    inlineStateVersionBody(buildState({ serial, resources: serial }), { serial, ...attributes }),
    token,
  );
const detailOf = ({ body }: ApiResponse): string => body.errors[0].detail;
/** Moves the clock. Timers and sockets continue in real time. */
const advance = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });
/** Returns the events since the last call. */
const events = () => readEvents(stream);

describe('a locked workspace', () => {
  it('shows when, why and by whom it was locked, also in the error of each request that the lock rejects', async () => {
    const path = await create();
    const before = Date.now();
    await act(path, 'lock', { reason: 'migration' });
    const { 'locked-at': at, ...shown } = await attributesOf(path);
    expect(shown).toMatchObject({ locked: true, 'locked-reason': 'migration', 'lock-expires-at': null });
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
    const meta = { holder: { kind: 'User', id: userId, name: 'ada' }, since: at, reason: 'migration', expiry: null };
    const rejected = [
      await act(path, 'lock', undefined, grace),
      await act(path, 'unlock', undefined, grace),
      await act(path, 'renew-lock', undefined, grace),
      await act(path, 'safe-delete'),
      await upload(path, 1, {}, grace),
    ];
    for (const { status, body } of rejected)
      expect({ status, meta: body.errors[0].meta }).toEqual({ status: 409, meta });
  });

  it('keeps a long reason in full, until the workspace is unlocked', async () => {
    const path = await create();
    // The list has a beginning of the reason, which ends within the first emoji.
    const reason = `${'r'.repeat(99)}${'😀'.repeat(400)}`;
    await stream.sinceLast();
    await act(path, 'lock', { reason, 'lease-seconds': 60 });
    await act(path, 'renew-lock');
    await send('PATCH', path, { data: { type: 'workspaces', attributes: { 'auto-apply': true } } });
    expect((await attributesOf(path))['locked-reason']).toBe(reason);
    expect((await events()).flatMap(({ lock }) => lock?.reason ?? [])).toEqual([reason, reason]);
    await act(path, 'unlock');
    await act(path, 'lock', { reason: 'short' });
    expect((await attributesOf(path))['locked-reason']).toBe('short');
  });

  it('is unlocked by force with a reason that the event contains next to the holder', async () => {
    const path = await create();
    await act(path, 'lock');
    await stream.sinceLast();
    const body = { data: { attributes: { reason: 'the pipeline has crashed' } } };
    expect((await act(path, 'force-unlock', body, grace)).status).toBe(200);
    expect(await attributesOf(path)).toMatchObject({ locked: false, 'locked-at': null, 'lock-expires-at': null });
    expect(await events()).toMatchObject([
      {
        type: 'workspace.force-unlocked',
        reason: 'the pipeline has crashed',
        lock: { kind: 'User', holder: userId, name: 'ada' },
      },
    ]);
  });
});

describe('a lock under a lease', () => {
  const lease = { 'lease-seconds': 60 };

  it('is renewed by its holder only, and for the same time unless the request gives another', async () => {
    const path = await create();
    await act(path, 'lock', lease);
    const first = Date.parse((await attributesOf(path))['lock-expires-at']);
    advance(30);
    expect((await act(path, 'renew-lock', undefined, grace)).status).toBe(409);
    const renewed = (await act(path, 'renew-lock')).body.data.attributes;
    expect(Date.parse(renewed['lock-expires-at']) - first).toBeGreaterThanOrEqual(29_000);
    const longer = (await act(path, 'renew-lock', { data: { attributes: { 'lease-seconds': 3_600 } } })).body;
    expect(Date.parse(longer.data.attributes['lock-expires-at']) - first).toBeGreaterThan(3_500_000);
    expect((await act(path, 'unlock')).status).toBe(200);
  });

  it('cannot be renewed if it has no lease, or if the workspace is not locked', async () => {
    const path = await create();
    expect(detailOf(await act(path, 'renew-lock'))).toBe('Unable to renew lock. The workspace is not locked.');
    await act(path, 'lock');
    const rejected = await act(path, 'renew-lock');
    expect(rejected.status).toBe(409);
    expect(detailOf(rejected)).toBe('Unable to renew lock. The lock has no lease, so it never expires.');
  });

  it.each([59, 86_401, 60.5, '60'])('is rejected with 422 for a length of %s', async (seconds) => {
    const path = await create();
    for (const [action, body, pointer] of [
      ['lock', { 'lease-seconds': seconds }, '/lease-seconds'],
      ['renew-lock', { data: { attributes: { 'lease-seconds': seconds } } }, '/data/attributes/lease-seconds'],
    ] as const) {
      const { status, body: document } = await act(path, action, body);
      expect({ status, source: document.errors[0].source }).toEqual({ status: 422, source: { pointer } });
    }
  });

  it('counts as unlocked as soon as it has expired, and its holder can neither upload, renew nor unlock', async () => {
    const path = await create();
    await act(path, 'lock', lease);
    const { body } = await upload(path, 1, { intermediate: true });
    expect(await currentOf(path)).toBeUndefined();
    advance(61);
    expect(await attributesOf(path)).toMatchObject({ locked: false, 'locked-reason': '', 'lock-expires-at': null });
    expect(await currentOf(path)).toBe(body.data.id);
    await stream.sinceLast();
    const rejected = [await upload(path, 2), await act(path, 'renew-lock'), await act(path, 'unlock')];
    expect(rejected.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(detailOf(rejected[2] as ApiResponse)).toMatch(
      /^Unable to unlock workspace\. The workspace is not locked\. The lease of User ada expired at /,
    );
    expect((await act(path, 'force-unlock', undefined, grace)).status).toBe(409);
    expect(await events()).toEqual([]);
  });

  it('ends with the next lock, whose event names it and the state version that became current', async () => {
    const path = await create();
    await act(path, 'lock', { ...lease, reason: 'deploy' });
    const { body } = await upload(path, 1, { intermediate: true });
    advance(61);
    await stream.sinceLast();
    const locked = await act(path, 'lock', { reason: 'next' }, grace);
    expect(locked.body.data.attributes).toMatchObject({ locked: true, 'locked-reason': 'next' });
    expect(await currentOf(path)).toBe(body.data.id);
    expect(await events()).toMatchObject([
      {
        type: 'workspace.locked',
        lock: { name: 'grace', reason: 'next' },
        expiredLock: { kind: 'User', holder: userId, name: 'ada', stateVersion: { id: body.data.id, serial: 1 } },
      },
    ]);
    expect((await act(path, 'unlock')).status).toBe(409);
    expect((await upload(path, 2)).status).toBe(409);
    expect((await upload(path, 2, {}, grace)).status).toBe(201);
    expect((await act(path, 'unlock', undefined, grace)).status).toBe(200);
  });

  it('ends with a change that has nothing to do with locks, and only one event reports it', async () => {
    const path = await create();
    await act(path, 'lock', lease);
    advance(61);
    await stream.sinceLast();
    const tags = { data: [{ type: 'tags', attributes: { name: 'core' } }] };
    expect((await send('POST', `${path}/relationships/tags`, tags)).status).toBe(204);
    await send('PATCH', path, { data: { type: 'workspaces', attributes: { 'auto-apply': true } } });
    expect((await events()).map(({ type, expiredLock }) => [type, expiredLock?.name])).toEqual([
      ['workspace.tags-changed', 'ada'],
      ['workspace.updated', undefined],
    ]);
  });

  it('does not hinder a safe delete after it has expired', async () => {
    const path = await create();
    await act(path, 'lock', lease);
    expect((await act(path, 'safe-delete')).status).toBe(409);
    advance(61);
    expect((await act(path, 'safe-delete')).status).toBe(204);
  });

  it('makes a state version current that was pending when it expired', async () => {
    const path = await create();
    await act(path, 'lock', lease);
    const content = buildState({ serial: 1, resources: 1 });
    const made = await send('POST', `${path}/state-versions`, stateVersionBody(content, { intermediate: true }));
    advance(61);
    expect(await currentOf(path)).toBeUndefined();
    await uploadContent(readUploadUrl(made), content);
    await api.deliverUploads();
    expect(await currentOf(path)).toBe(made.body.data.id);
    await act(path, 'lock', undefined, grace);
    expect((await attributesOf(path))['resource-count']).toBe(1);
  });
});
