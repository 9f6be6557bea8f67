import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openBucket } from '../../shared/objects/bucket.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { takeSnapshot } from './take-snapshot.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('catalogue-snapshots');

export const handler = takeSnapshot({
  database: openDatabase({ tableName: TABLE_NAME }),
  bucket: openBucket(BUCKET_NAME),
  clock: now,
  logger: createLogger('catalogue-snapshots'),
});
