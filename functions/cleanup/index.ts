import { listIndexKey, readmeKey, stateKeys } from '../../shared/blob/blob-keys.ts';
import { openBucket } from '../../shared/blob/bucket.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openStartFunction } from '../../shared/runtime/start-function.ts';
import { openCleanup } from '../../shared/store/cleanup/cleanup-queue.ts';
import { openDirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openRemoval } from '../../shared/store/directory/removal/open-removal.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openActivityCounter } from '../../shared/store/history/activity-counter.ts';
import { openAutoDestroy } from '../../shared/store/workspaces/auto-destroy.ts';
import { serviceRequest } from '../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { cleanupDue } from './cleanup.ts';

const { TABLE_NAME, BUCKET_NAME, BULK_JOB_WORKER_FUNCTION, HISTORY_DAYS } = readEnvironment('cleanup');
const database = openDatabase({ tableName: TABLE_NAME });
const workspaces = openWorkspaces(database, now);
const newRequest = () => serviceRequest('cleanup');
const bucket = openBucket(BUCKET_NAME);
const removal = openRemoval(openDirectoryWriter(database, now), workspaces, undefined, (organization) =>
  bucket.remove(listIndexKey(organization)),
);
const autoDestroy = openAutoDestroy(database, workspaces, now, newRequest);

const startJobWorker = openStartFunction(BULK_JOB_WORKER_FUNCTION);
const cleanup = openCleanup(database, removal, autoDestroy, {
  startJobWorker: (job) => startJobWorker({ job }),
  markDeleted: async (version) => {
    await Promise.all(stateKeys(version).map(bucket.remove));
  },
  remove: async (version) => {
    await Promise.all(stateKeys(version).map(bucket.removeWithVersions));
  },
  markReadmeDeleted: (workspace, configurationVersion) => bucket.remove(readmeKey(workspace, configurationVersion)),
});

/** Lambda handler of the scheduled cleanup. */
export const handler = cleanupDue(
  cleanup,
  autoDestroy,
  openActivityCounter(database, now, HISTORY_DAYS),
  now,
  createLogger('cleanup'),
);
