import { openBucket } from '../../shared/blob/bucket.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openSnapshotJobs } from '../../shared/store/list-index/snapshot-jobs.ts';
import { takeSnapshot } from './take-snapshot.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('list-index-snapshots');

export const handler = takeSnapshot({
  jobs: openSnapshotJobs(openDatabase({ tableName: TABLE_NAME }), now),
  bucket: openBucket(BUCKET_NAME),
  logger: createLogger('list-index-snapshots'),
});
