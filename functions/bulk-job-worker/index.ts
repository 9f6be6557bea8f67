import { openBucket } from '../../shared/blob/bucket.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openRequests } from '../../shared/runtime/api-requests.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openInvoke } from '../../shared/runtime/invoke.ts';
import { openJobReader } from '../../shared/store/bulk-jobs/bulk-job-reader.ts';
import { openJobWork } from '../../shared/store/bulk-jobs/job-work.ts';
import { createWorker } from './work.ts';

const environment = readEnvironment('bulk-job-worker');
const dependencies = openListDependencies('bulk-job-worker', openSnapshots(environment));
const { database } = dependencies;

/** Lambda handler that prepares and executes bulk jobs. It sends the requests of their callers. */
export const handler = createWorker({
  ...dependencies,
  jobs: openJobReader(database),
  work: openJobWork(database, now),
  bucket: openBucket(environment.BUCKET_NAME),
  send: openRequests(openInvoke(), environment.FUNCTION_PREFIX),
  clock: now,
});
