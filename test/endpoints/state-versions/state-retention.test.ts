import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retainStates } from '../../../functions/state-retention/retain-states.ts';
import { stateKeys } from '../../../shared/blob/blob-keys.ts';
import { openBucket } from '../../../shared/blob/bucket.ts';
import { exists } from '../../../shared/domain/changes/conditions.ts';
import { type Edition, editions } from '../../../shared/domain/editions.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys, sortableTime } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { openStateDependants } from '../../../shared/store/state-versions/state-dependants.ts';
import { openStateRetention } from '../../../shared/store/state-versions/state-retention.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import {
  buildState,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';
import { followStream } from '../../support/engine/table-stream.ts';

/** Data retention of state versions (RET-7) on the real items and blobs. */
let api: Api;
let token: string;
let stream: Awaited<ReturnType<typeof followStream>>;

const DAY = 86_400_000;
const POLICY = '/relationships/data-retention-policy';
const deleteOlders = (days: number) => ({
  data: { type: 'data-retention-policy-delete-olders', attributes: { deleteOlderThanNDays: days } },
});
const dontDelete = { data: { type: 'data-retention-policy-dont-deletes', attributes: {} } };

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  stream = await followStream(api.engine);
});
afterAll(() => api.stop());

const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body && { body }) });
const succeed = async (method: string, path: string, body?: object) => {
  const reply = await send(method, path, body);
  expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  return reply;
};

let createdCount = 0;
/** Creates a locked workspace with that many finalized state versions. The last one is current. */
const createLocked = async (count: number, outputs: object = {}) => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++createdCount}` } } };
  const { id } = (await succeed('POST', '/organizations/acme/workspaces', body)).body.data;
  const path = `/workspaces/${id}`;
  await succeed('POST', `${path}/actions/lock`);
  const versions: string[] = [];
  for (let serial = 1; serial <= count; serial++) {
    const content = buildState({ serial, resources: serial, outputs });
    const { data } = (await succeed('POST', `${path}/state-versions`, inlineStateVersionBody(content, { serial })))
      .body;
    versions.push(data.id);
  }
  await api.deliverUploads();
  return { id: String(id), path, versions };
};
const createUnlocked = async (count: number, outputs?: object) => {
  const workspace = await createLocked(count, outputs);
  await succeed('POST', `${workspace.path}/actions/unlock`);
  return workspace;
};

interface Run {
  readonly days?: number;
  readonly database?: Database;
  readonly edition?: Edition;
  readonly removeWithVersions?: (key: string) => Promise<void>;
  readonly remaining?: () => number;
}

/** Runs the scheduled function as if it were that many days later. */
const retain = ({ days = 0, database = api.engine.database, edition = 'self-hosted', ...run }: Run = {}) => {
  const clock = () => Date.now() + days * DAY;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const { name, endpoint } = api.bucket;
  const bucket = openBucket(name, { endpoint, region: 'eu-central-1', credentials, forcePathStyle: true });
  const removeWithVersions = run.removeWithVersions ?? bucket.removeWithVersions;
  const handler = retainStates({
    features: editions[edition],
    retention: openStateRetention(database, openWorkspaces(database, clock), clock, () => serviceRequest('retention')),
    dependants: openStateDependants(database, async (whose) => {
      for (const key of stateKeys(whose)) await removeWithVersions(key);
    }),
    logger: createLogger('state-retention'),
  });
  return handler(undefined, { getRemainingTimeInMillis: run.remaining ?? (() => 60_000) });
};

const listVersions = async (path: string): Promise<string[]> => {
  const { name } = (await succeed('GET', path)).body.data.attributes;
  const query = `filter[workspace][name]=${name}&filter[organization][name]=acme`;
  return (await succeed('GET', `/state-versions?${query}`)).body.data.map(({ id }: { id: string }) => id);
};
const getBlobKeys = (id: string): string[] => [...api.bucket.objects().keys()].filter((key) => key.endsWith(id));
const findings = async () => (await api.admin('check-table')).findings;
const getDeletedIds = async (id: string) =>
  (await stream.sinceLast()).flatMap(({ dynamodb: { NewImage: image } = {} }) =>
    image?.['chg']?.M?.['type']?.S === 'workspace.state-version-deleted' && image['id']?.S === id
      ? [String(image['chg'].M['stateVersion']?.M?.['id']?.S)]
      : [],
  );

const large = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [
    `output-${index}`,
    { value: `${Math.sin(index)}`.repeat(4), type: 'string' },
  ]),
);

describe('data retention policy', () => {
  it('deletes old state versions with their items and blobs, writes one event each, and keeps the current one', async () => {
    const { id, path, versions } = await createUnlocked(3, large);
    const [first = '', second = '', current = ''] = versions;
    await succeed('POST', `${path}${POLICY}`, deleteOlders(30));
    expect(await retain({ days: 29 })).toMatchObject({ deleted: 0 });
    await stream.sinceLast();
    expect(await retain({ days: 31 })).toEqual({ deleted: 2, failed: 0, isComplete: true });
    expect(await getDeletedIds(id)).toEqual([first, second]);
    expect(await listVersions(path)).toEqual([current]);
    for (const deleted of [first, second]) {
      expect((await send('GET', `/state-versions/${deleted}`)).status).toBe(404);
      expect((await send('GET', `/state-versions/${deleted}/download`)).status).toBe(404);
      expect(getBlobKeys(deleted)).toEqual([]);
    }
    expect(getBlobKeys(current)).toHaveLength(1);
    expect((await send('GET', `${path}/current-state-version`)).body.data.id).toBe(current);
    expect((await succeed('GET', `/state-versions/${current}/outputs`)).body.data.length).toBeGreaterThan(0);
    expect(await findings()).toEqual([]);
    expect(await retain({ days: 31 })).toMatchObject({ deleted: 0 });
  });

  it('keeps state versions that are pending and the current one of a locked workspace', async () => {
    const { path, versions } = await createLocked(3);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    const pending = await succeed(
      'POST',
      `${path}/state-versions`,
      stateVersionBody(buildState({ serial: 4 }), { serial: 4 }),
    );
    expect(await retain({ days: 2 })).toMatchObject({ deleted: 2, failed: 0 });
    expect(await listVersions(path)).toEqual([pending.body.data.id, versions[2]]);
    expect(await findings()).toEqual([]);
  });

  it('is inherited from the organization when the workspace has none', async () => {
    const [inheriting, keepingAll] = [await createUnlocked(2), await createUnlocked(2)];
    await succeed('POST', `${keepingAll.path}${POLICY}`, dontDelete);
    expect(await retain({ days: 400 })).toMatchObject({ deleted: 0 });
    await api.request('POST', `/organizations/acme${POLICY}`, { token, body: deleteOlders(300) });
    await retain({ days: 301 });
    expect(await listVersions(inheriting.path)).toEqual([inheriting.versions[1]]);
    expect(await listVersions(keepingAll.path)).toEqual(keepingAll.versions.toReversed());
    await api.request('DELETE', `/organizations/acme${POLICY}`, { token });
  });

  it('is ignored on the hosted edition', async () => {
    const { path } = await createUnlocked(2);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    expect(await retain({ days: 9, edition: 'hosted' })).toEqual({ deleted: 0, failed: 0, isComplete: true });
    expect(await retain({ days: 9 })).toMatchObject({ deleted: 1 });
  });

  it('deletes nothing when it is removed just before the write', async () => {
    const { path, versions } = await createUnlocked(2);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    const late: Database = {
      ...api.engine.database,
      transact: async (writes, remaining) => {
        await send('DELETE', `${path}${POLICY}`);
        return api.engine.database.transact(writes, remaining);
      },
    };
    expect(await retain({ days: 9, database: late })).toMatchObject({ deleted: 0, failed: 0 });
    expect(await listVersions(path)).toEqual(versions.toReversed());
  });
});

describe('run of the state retention function', () => {
  it('continues where a run that ran out of time stopped', async () => {
    const { path, versions } = await createUnlocked(4);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    let calls = 0;
    const first = await retain({ days: 9, remaining: () => (calls++ > 2 ? 1_000 : 60_000) });
    expect(first).toMatchObject({ isComplete: false });
    expect(await retain({ days: 9 })).toMatchObject({ isComplete: true, deleted: 3 - first.deleted });
    expect(await listVersions(path)).toEqual([versions[3]]);
  });

  it('leaves no state version without its blob, and no blob without a cleanup mark, when it is killed at any step', async () => {
    const { path, versions } = await createUnlocked(3, large);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    let runs = 0;
    for (let left = 0, isDone = false; !isDone; left += 1, runs += 1) {
      let steps = 0;
      const die = <A extends unknown[], R>(step: (...of: A) => Promise<R>) => {
        return async (...of: A): Promise<R> => {
          if (steps++ >= left) throw new Error('killed');
          return step(...of);
        };
      };
      const { database } = api.engine;
      const interrupted = { ...database, write: die(database.write), transact: die(database.transact) };
      await retain({ days: 9, database: interrupted, removeWithVersions: die(async () => {}) });
      isDone = steps < left;
      // Every listed state version can still be downloaded with its outputs.
      for (const id of await listVersions(path)) {
        expect((await send('GET', `/state-versions/${id}/download`)).status).toBe(307);
        expect((await send('GET', `/state-versions/${id}/outputs`)).status).toBe(200);
        expect(getBlobKeys(id)).toHaveLength(1);
      }
      expect(await findings()).toEqual([]);
    }
    expect(runs).toBeGreaterThan(3);
    expect(await listVersions(path)).toEqual([versions[2]]);
    // The cleanup deletes blobs that no run reached.
    const marks = await api.engine.database.query({
      partition: keys.workspace(path.split('/')[2] ?? '').pk,
      beginsWith: 'X#',
    });
    for (const { pk, sk } of marks) {
      const key = { pk: String(pk), sk: String(sk) };
      await api.engine.database.write(update(key, { set: { dk: sortableTime(1) } }, exists('pk')));
    }
    await api.cleanup();
    expect(await findings()).toEqual([]);
  });

  it('leaves blobs that it cannot delete to the cleanup', async () => {
    const { id, path, versions } = await createUnlocked(2);
    await succeed('POST', `${path}${POLICY}`, deleteOlders(1));
    const removeWithVersions = async () => {
      throw new Error('no bucket');
    };
    expect(await retain({ days: 9, removeWithVersions })).toMatchObject({ failed: 1 });
    expect(await listVersions(path)).toEqual([versions[1]]);
    expect(getBlobKeys(versions[0] ?? '')).toHaveLength(1);
    const [mark] = await api.engine.database.query({ partition: keys.workspace(id).pk, beginsWith: 'X#' });
    const key = { pk: String(mark?.['pk']), sk: String(mark?.['sk']) };
    await api.engine.database.write(update(key, { set: { dk: sortableTime(1) } }, exists('pk')));
    expect(await api.cleanup()).toMatchObject({ finished: 1, failed: 0 });
    expect(getBlobKeys(versions[0] ?? '')).toEqual([]);
    expect(await findings()).toEqual([]);
  });
});

it('new state version postpones auto-destroy as workspace activity', async () => {
  const { path } = await createLocked(0);
  await succeed('PATCH', path, {
    data: { type: 'workspaces', attributes: { 'auto-destroy-activity-duration': '2h' } },
  });
  const dueAt = async () => Date.parse((await succeed('GET', path)).body.data.attributes['auto-destroy-at']);
  const before = await dueAt();
  await succeed('POST', `${path}/state-versions`, inlineStateVersionBody(buildState()));
  expect(await dueAt()).toBeGreaterThan(before);
  expect(await findings()).toEqual([]);
});

describe('deletion of a workspace', () => {
  it('deletes its blobs, including those uploaded later', async () => {
    const { id, path, versions } = await createLocked(2);
    const pending = await succeed(
      'POST',
      `${path}/state-versions`,
      stateVersionBody(buildState({ serial: 3 }), { serial: 3 }),
    );
    await succeed('DELETE', path);
    await api.cleanup();
    for (const version of versions) expect(getBlobKeys(version)).toEqual([]);
    expect(await upload(readUploadUrl(pending), buildState({ serial: 3 }))).toBe(200);
    expect(getBlobKeys(pending.body.data.id)).toHaveLength(1);
    await api.deliverUploads();
    expect([...api.bucket.objects().keys()].filter((key) => key.includes(id))).toEqual([]);
    expect(await findings()).toEqual([]);
  });
});
