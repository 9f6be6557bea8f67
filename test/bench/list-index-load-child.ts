import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { takeSnapshot } from '../../functions/list-index-snapshots/take-snapshot.ts';
import { openBucket } from '../../shared/blob/bucket.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { openDirectory } from '../../shared/store/directory/directory-reader.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { listPartition, sortableTime } from '../../shared/store/dynamodb/keys.ts';
import { openListIndexes } from '../../shared/store/list-index/list-index-store.ts';
import type { Listed } from '../../shared/store/list-index/read-list-index.ts';
import { openSnapshotJobs } from '../../shared/store/list-index/snapshot-jobs.ts';
import type { Load, Loaded, LoadingTask } from './list-index-load.ts';

/** Loads list indexes in its own process, so that its time and memory can be measured. */

const HOUR = 3_600_000;
/** Time ranges of each partition that are read in parallel. */
const RANGES = 4;

process.once('message', async (task: LoadingTask) => {
  const database = openDatabase({ tableName: task.tableName });
  const logger = createLogger('list-index-load');
  const bucket = openBucket(task.bucket, { forcePathStyle: true });
  const findOrganization = async (): Promise<Listed> =>
    (await openDirectory(database, now).organizations.find(task.organization, true)) as Listed;
  const isNew = (await findOrganization()).snapshotAt === undefined;
  if (isNew && task.loads.includes('snapshot')) {
    await takeSnapshot({ jobs: openSnapshotJobs(database, now), bucket, logger, snapshotRows: 0 })({
      organization: task.organization,
    });
  }
  const { snapshotAt, ...plain } = await findOrganization();
  const listed: Listed = plain;
  const snapshots = openSnapshots({ BUCKET_NAME: task.bucket, LIST_INDEX_SNAPSHOTS_FUNCTION: 'none' })(logger);

  /** Ranges with about the same number of rows. Only the benchmark can know them before it reads the rows. */
  const bounds = (() => {
    const [first, last] = [now() - 8_001 * HOUR, now() - HOUR];
    const inner = Array.from({ length: RANGES - 1 }, (_, index) => first + ((last - first) * (index + 1)) / RANGES);
    return [0, ...inner.map(Math.floor), 9_999_999_999_999];
  })();
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const readFor = async (shard: number, from: number, until: number): Promise<number> => {
    let rows = 0;
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: task.tableName,
          IndexName: 'list',
          KeyConditionExpression: 'l = :l AND lk BETWEEN :from AND :until',
          ExpressionAttributeValues: {
            ':l': listPartition.workspaces(task.organization, shard),
            ':from': sortableTime(from),
            ':until': sortableTime(until),
          },
          ...(ExclusiveStartKey && { ExclusiveStartKey }),
        }),
      );
      rows += Items.filter(({ ty }) => ty === 'workspace').length;
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return rows;
  };
  const ways: Readonly<Record<Load, () => Promise<number>>> = {
    floor: async () => {
      const counts = Array.from({ length: listed.shards }, (_, shard) =>
        Array.from({ length: RANGES }, (_, range) =>
          readFor(shard, bounds[range] as number, (bounds[range + 1] as number) - 1),
        ),
      );
      return (await Promise.all(counts.flat())).reduce((sum, count) => sum + count, 0);
    },
    index: async () => (await openListIndexes(database, now).open(listed)).size(),
    snapshot: async () => {
      const opened = openListIndexes(database, now, { snapshots });
      return (await opened.open({ ...listed, ...(snapshotAt !== undefined && { snapshotAt }) })).size();
    },
  };

  const loaded: Loaded[number][] = [];
  for (let turn = 0; turn < task.turns; turn++) {
    for (const load of task.loads) {
      // Lets the memory of the previous load be collected.
      await sleep(50);
      const before = process.memoryUsage.rss();
      let peak = before;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss());
      }, 2);
      const [started, used] = [performance.now(), process.cpuUsage()];
      const rows = await ways[load]();
      const milliseconds = performance.now() - started;
      const { user, system } = process.cpuUsage(used);
      clearInterval(watch);
      const peakMegabytes = (Math.max(peak, process.memoryUsage.rss()) - before) / 1e6;
      loaded.push({ load, rows, milliseconds, cpuMilliseconds: (user + system) / 1e3, peakMegabytes });
    }
  }
  process.send?.(loaded, () => process.exit());
});
