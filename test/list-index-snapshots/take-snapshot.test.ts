import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAdminDependencies } from '../../functions/admin/dependencies.ts';
import { takeSnapshot } from '../../functions/list-index-snapshots/take-snapshot.ts';
import { openBucket } from '../../shared/blob/bucket.ts';
import { SNAPSHOT_FORMAT_VERSION } from '../../shared/list-index/columns.ts';
import { openSnapshotRemoval, openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { openDirectory } from '../../shared/store/directory/directory-reader.ts';
import type { Database } from '../../shared/store/dynamodb/database.ts';
import { openListIndexes } from '../../shared/store/list-index/list-index-store.ts';
import type { Listed } from '../../shared/store/list-index/read-list-index.ts';
import { openSnapshotJobs } from '../../shared/store/list-index/snapshot-jobs.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../support/api/admin.ts';
import { startBucket, type TestBucket } from '../support/api/bucket.ts';
import { startLambdaService, type TestLambdaService } from '../support/api/lambda-service.ts';
import { seedWorkspaces } from '../support/api/seed-workspaces.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { POLL_DEADLINE } from '../support/setup/deadline.ts';

/** From an instance that lists a large organization to the snapshot that the next one begins with. */
const PREFIX = 'test';
/** Organizations with more rows are large here. */
const ROWS = 5;
const KEY = 'catalogues/acme';
const HOUR = 3_600_000;

let engine: TestEngine;
let bucket: TestBucket;
let lambda: TestLambdaService;
let database: Database;
let now: number;
const clock = () => now;
const logger = createLogger('test');
logger.setLogLevel('SILENT');

let admin: ReturnType<typeof openAdmin>['admin'];
let take: ReturnType<typeof takeSnapshot>;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

beforeEach(async () => {
  now = Date.now();
  bucket = await startBucket();
  lambda = await startLambdaService(PREFIX, () => (event) => take(event as never));
  for (const [name, value] of Object.entries({
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
  }))
    vi.stubEnv(name, value);
  const tableName = await engine.createTable();
  database = engine.open({ tableName });
  ({ admin } = openAdmin(database, clock));
  take = takeSnapshot({
    jobs: openSnapshotJobs(database, clock),
    bucket: openBucket(bucket.name, { forcePathStyle: true }),
    logger,
    snapshotRows: ROWS,
  });
  await admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  const { project } = await admin('create-project', { organization: 'acme', name: 'platform' });
  await seedWorkspaces(
    { client: engine.client, tableName },
    Array.from({ length: 8 }, (_, index) => ({ organization: 'acme', project: project.id, name: `w-${index}` })),
  );
});
afterEach(async () => {
  await lambda.stop();
  await bucket.stop();
  vi.unstubAllEnvs();
});

const organization = async (): Promise<Listed> =>
  (await openDirectory(database, clock).organizations.find('acme', true)) as Listed;
/** Lists the workspaces in a new instance. */
const list = async (overDatabase = database, listed?: Listed) => {
  const snapshots = openSnapshots({ BUCKET_NAME: bucket.name, LIST_INDEX_SNAPSHOTS_FUNCTION: `${PREFIX}-snapshots` })(
    logger,
  );
  const listIndexes = openListIndexes(overDatabase, clock, { snapshots, snapshotRows: ROWS });
  return (await listIndexes.open(listed ?? (await organization()))).byName().map(({ name }) => name);
};
const names = Array.from({ length: 8 }, (_, index) => `w-${index}`);
/** Database that fails on queries for more than recent changes. */
const onlyChanges = (): Database => ({
  ...database,
  page: (options, start) => {
    expect(Number(options.from)).toBeGreaterThan(now - HOUR);
    return database.page(options, start);
  },
});

describe('the first list of an instance', () => {
  it('requests a snapshot, which later instances load', async () => {
    expect(await list()).toEqual(names);
    expect(bucket.objects().has(KEY)).toBe(true);
    expect((await organization()).snapshotAt).toBe(now);
    now += 1_000;
    expect(await list(onlyChanges())).toEqual(names);
    // Requests within the next hours find a snapshot that is new enough.
    for (let index = 0; index < 3; index++) await take({ organization: 'acme' });
    expect(bucket.listVersions(KEY)).toHaveLength(1);
    now += 2 * HOUR;
    expect(await list()).toEqual(names);
    expect(bucket.listVersions(KEY)).toHaveLength(2);
  });

  it('requests one snapshot when several requests are concurrent', async () => {
    await Promise.all(Array.from({ length: 6 }, () => take({ organization: 'acme' })));
    expect(bucket.listVersions(KEY)).toHaveLength(1);
  });

  it('returns the complete list when the snapshot or its function fails', async () => {
    bucket.fail(true);
    expect(await list()).toEqual(names);
    bucket.fail(false);
    // The failed attempt may still be running.
    await vi.waitFor(async () => {
      await take({ organization: 'acme' });
      expect((await organization()).snapshotAt).toBe(now);
    }, POLL_DEADLINE);
    const listed = await organization();
    // A deleted organization had the same name.
    expect(await list(database, { ...listed, externalId: 'org-other' })).toEqual(names);
    bucket.fail(true);
    expect(await list()).toEqual(names);
    bucket.fail(false);
    await openBucket(bucket.name, { forcePathStyle: true }).put(
      KEY,
      Buffer.from('nothing of that kind, but long enough'),
    );
    expect(await list()).toEqual(names);
    // An invalid object is replaced, however new it is.
    await vi.waitFor(async () => expect(await list(onlyChanges())).toEqual(names), POLL_DEADLINE);
    await openBucket(bucket.name, { forcePathStyle: true }).remove(KEY);
    expect(await list()).toEqual(names);
    await lambda.stop();
    now += 2 * HOUR;
    expect(await list()).toEqual(names);
  });
});

describe('a snapshot with another format version', () => {
  /** Writes the version word of the stored object's header. */
  const storeWithVersion = async (version: number) => {
    const stored = openBucket(bucket.name, { forcePathStyle: true });
    const object = Buffer.from(bucket.objects().get(KEY) as Buffer);
    object.writeUInt32LE(version, 4);
    await stored.put(KEY, object);
  };

  it.each([SNAPSHOT_FORMAT_VERSION - 1, SNAPSHOT_FORMAT_VERSION + 1])(
    'is ignored, read from the index instead, and replaced (version %i)',
    async (version) => {
      await take({ organization: 'acme' });
      expect(await list(onlyChanges())).toEqual(names);
      await storeWithVersion(version);
      await expect(list(onlyChanges())).rejects.toThrow();
      expect(await list()).toEqual(names);
      await vi.waitFor(async () => expect(await list(onlyChanges())).toEqual(names), POLL_DEADLINE);
    },
  );
});

describe('a snapshot', () => {
  it('is recorded on the organization only after it was written, and retried after a failure', async () => {
    bucket.fail(true);
    await expect(take({ organization: 'acme' })).rejects.toThrow();
    expect((await organization()).snapshotAt).toBeUndefined();
    bucket.fail(false);
    await take({ organization: 'acme' });
    expect((await organization()).snapshotAt).toBe(now);
  });

  it('goes when the organization has become small', async () => {
    await take({ organization: 'acme' });
    now += 2 * HOUR;
    await takeSnapshot({
      jobs: openSnapshotJobs(database, clock),
      bucket: openBucket(bucket.name, { forcePathStyle: true }),
      logger,
    })({
      organization: 'acme',
    });
    expect((await organization()).snapshotAt).toBeUndefined();
    expect(bucket.objects().has(KEY)).toBe(false);
  });

  it('is not taken for an unknown organization', async () => {
    await take({ organization: 'nowhere' });
    expect(bucket.objects().size).toBe(0);
  });

  it.each(['command', 'cleanup'] as const)('goes with its organization, deleted by a %s', async (by) => {
    await admin('create-organization', { name: 'empty', email: 'ada@example.com' });
    const stored = openBucket(bucket.name, { forcePathStyle: true });
    await takeSnapshot({ jobs: openSnapshotJobs(database, clock), bucket: stored, logger, snapshotRows: -1 })({
      organization: 'empty',
    });
    const key = 'catalogues/empty';
    expect(bucket.objects().has(key)).toBe(true);
    const removeSnapshot =
      by === 'command'
        ? openSnapshotRemoval(bucket.name)
        : (organization: string) => stored.remove(`catalogues/${organization}`);
    const { removal } = openAdminDependencies(database, clock, { settling: 0, removeSnapshot });
    await removal.removeOrganization(serviceRequest('admin'), 'empty');
    expect(bucket.objects().has(key)).toBe(false);
    expect(await openDirectory(database, clock).organizations.find('empty', true)).toBeUndefined();
  });

  it('does not outlive an organization that is deleted while it is taken', async () => {
    const { externalId } = await organization();
    const slow: Database = {
      ...database,
      page: async (options, start) => {
        const page = await database.page(options, start);
        await database.write({
          kind: 'update',
          key: { pk: 'ORG#acme', sk: 'ORG' },
          UpdateExpression: 'SET closing = :now',
          ExpressionAttributeValues: { ':now': now },
        });
        return page;
      },
    };
    expect(externalId).toBeDefined();
    await takeSnapshot({
      jobs: openSnapshotJobs(slow, clock),
      bucket: openBucket(bucket.name, { forcePathStyle: true }),
      logger,
      snapshotRows: ROWS,
    })({ organization: 'acme' });
    expect(bucket.objects().has(KEY)).toBe(false);
  });
});
