import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkerDependencies } from '../../../functions/bulk-job-worker/dependencies.ts';
import { createWorker } from '../../../functions/bulk-job-worker/work.ts';
import { openBucket } from '../../../shared/blob/bucket.ts';
import { now } from '../../../shared/lib/clock.ts';
import { openRequests } from '../../../shared/runtime/api-requests.ts';
import { openListDependencies } from '../../../shared/runtime/dependencies.ts';
import { openInvoke } from '../../../shared/runtime/invoke.ts';
import { openJobReader } from '../../../shared/store/bulk-jobs/bulk-job-reader.ts';
import { openJobWork } from '../../../shared/store/bulk-jobs/job-work.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { createSeededRandom } from '../../support/models/seeded-random.ts';
import { usualOrThorough } from '../../support/setup/run-budget.ts';

/**
 * Workers of bulk jobs that are cut off before or after any of their calls: to the API, to the table and to the bucket. The
 * next worker goes on, and each item is changed exactly once.
 */
let api: Api;
let token: string;
let dependencies: WorkerDependencies;
beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const list = openListDependencies('bulk-job-worker');
  dependencies = {
    ...list,
    jobs: openJobReader(api.engine.database),
    work: openJobWork(api.engine.database, now),
    bucket: openBucket(api.bucket.name),
    send: openRequests(openInvoke(), 'test'),
    clock: now,
  };
});
afterAll(() => api.stop());

// biome-ignore lint/suspicious/noExplicitAny: wraps functions of every kind.
type Call = (...parameters: any[]) => Promise<any>;

/** Wraps the calls of a worker. It dies at a point before or after one of them: from then on, none of them returns. */
const mortal = (points: number) => {
  let left = points;
  let die = (): void => undefined;
  const death = new Promise<'dead'>((resolve) => {
    die = () => resolve('dead');
  });
  const pass = async (): Promise<void> => {
    left -= 1;
    if (left > 0) return;
    die();
    await new Promise(() => undefined);
  };
  const wrap = <F extends Call>(call: F): F =>
    (async (...parameters) => {
      await pass();
      const result = await call(...parameters);
      await pass();
      return result;
    }) as F;
  const wrapAll = <O extends object>(calls: O): O =>
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call as Call)])) as O;
  return { death, wrap, wrapAll };
};

/** Runs workers until a job has nothing to do. @returns how many of them died. */
const workOn = async (job: string, next: () => number): Promise<number> => {
  for (let deaths = 0; ; deaths++) {
    const { death, wrap, wrapAll } = mortal(next());
    const { work, bucket, send } = dependencies;
    const worker = createWorker({
      ...dependencies,
      work: wrapAll(work),
      bucket: { put: wrap(bucket.put) },
      send: wrap(send),
    });
    const end = await Promise.race([
      death,
      worker({ job }, { awsRequestId: `worker-${job}-${deaths}`, getRemainingTimeInMillis: () => 900_000 }),
    ]);
    if (end !== 'dead') return deaths;
    // As if the lease had ended.
    await api.engine.database.write(update(keys.bulkJob(job), { set: { leaseUntil: 0 } }));
  }
};

const send = async (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  api.request(method, path, { token, ...(body && { body }), ...(headers && { headers }) });

const seeds = Array.from({ length: usualOrThorough(1, 15) }, (_, seed) => seed);
let total = 0;

describe.each(seeds)('a bulk job whose workers die, with the seed %i,', (seed) => {
  it.each([
    ['update', { description: 'once' }],
    ['add-tags', { tags: ['once'] }],
    ['lock', {}],
    ['set-variable', { key: 'ONCE', value: '1' }],
    ['safe-delete', {}],
  ] as const)(
    'changes each workspace once, and its counters are right at every moment: %s',
    async (action, parameters) => {
      const random = createSeededRandom(seed * 100 + action.length);
      // A slice takes up to 100 points, so some lives must be longer than that.
      const life = () => 1 + Math.floor(random() * 160);
      const ids: string[] = [];
      for (let index = 0; index < 30; index++) {
        const body = { data: { type: 'workspaces', attributes: { name: `${action}-${seed}-${index}` } } };
        ids.push((await send('POST', '/organizations/acme/workspaces', body)).body.data.id);
      }
      const attributes = { action, parameters, selection: { ids }, rate: 200 };
      const { body } = await send('POST', '/organizations/acme/bulk-jobs', { data: { type: 'bulk-jobs', attributes } });
      const { id } = body.data;
      const sequences = async () =>
        Promise.all(
          ids.map(async (one) => Number((await api.engine.database.get(keys.workspace(one), true))?.['seq'])),
        );
      const before = await sequences();
      let deaths = await workOn(id, life);
      const shown = await send('GET', `/bulk-jobs/${id}`);
      expect(shown.body.data.attributes).toMatchObject({ status: 'ready', 'preview-counts': { changed: 30 } });
      await send('POST', `/bulk-jobs/${id}/actions/apply`, undefined, { 'if-match': String(shown.headers['etag']) });
      deaths += await workOn(id, life);
      total += deaths;
      const ended = await send('GET', `/bulk-jobs/${id}`);
      expect(ended.body.data.attributes).toMatchObject({ status: 'complete', 'outcome-counts': { applied: 30 } });
      expect((await sequences()).map((sequence, index) => sequence - Number(before[index]))).toEqual(ids.map(() => 1));
    },
  );
});

it('has tried that with enough deaths', () => {
  console.info(`${total} workers of bulk jobs died`);
  expect(total).toBeGreaterThanOrEqual(usualOrThorough(5, 100));
});

it('a token that is revoked in the middle of a job ends it, and no later workspace is changed', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 30; index++) {
    const body = { data: { type: 'workspaces', attributes: { name: `revoked-${index}` } } };
    ids.push((await send('POST', '/organizations/acme/workspaces', body)).body.data.id);
  }
  const owner = token;
  ({ token } = await api.admin('create-token', { kind: 'user', username: 'ada' }));
  const attributes = { action: 'update', parameters: { description: 'x' }, selection: { ids }, rate: 200 };
  const { id } = (await send('POST', '/organizations/acme/bulk-jobs', { data: { type: 'bulk-jobs', attributes } })).body
    .data;
  const context = { awsRequestId: 'worker-revoked', getRemainingTimeInMillis: () => 900_000 };
  await createWorker(dependencies)({ job: id }, context);
  const { headers } = await send('GET', `/bulk-jobs/${id}`);
  await send('POST', `/bulk-jobs/${id}/actions/apply`, undefined, { 'if-match': String(headers['etag']) });
  const revoked = token;
  token = owner;
  let sent = 0;
  const revoking: WorkerDependencies['send'] = async (...request) => {
    // The second item of the second slice.
    if (++sent === 27) await api.admin('revoke-token', { token: revoked });
    return dependencies.send(...request);
  };
  await createWorker({ ...dependencies, send: revoking })({ job: id }, context);
  const ended = (await send('GET', `/bulk-jobs/${id}`)).body.data.attributes;
  expect(ended).toMatchObject({ status: 'failed', failure: expect.stringContaining('revoked') });
  const { applied, skipped } = ended['outcome-counts'];
  expect(applied + skipped).toBe(30);
  expect(skipped).toBeGreaterThan(0);
  const descriptions = await Promise.all(
    ids.map(async (one) => (await send('GET', `/workspaces/${one}`)).body.data.attributes.description),
  );
  expect(descriptions.filter((one) => one === 'x')).toHaveLength(applied);
});
