import { openBucketOnUse } from '../../shared/blob/bucket-on-use.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment, readPresignedOrigin } from '../../shared/runtime/environment.ts';
import { openStartFunction } from '../../shared/runtime/start-function.ts';
import { openBulkJobs } from '../../shared/store/bulk-jobs/bulk-job-store.ts';
import {
  assignedWorkspaces,
  bulkJob,
  bulkJobApplication,
  newWorkspaceVariable,
  tagBindings,
  tags,
  workspace,
  workspaceForceUnlock,
  workspaceLock,
} from '../../shared/validators/compiled/bodies.js';
import { jobOperations } from './jobs.ts';

const { BUCKET_NAME, BULK_JOB_WORKER_FUNCTION } = readEnvironment('bulk-jobs');
const dependencies = openDependencies('bulk-jobs');

/** Lambda handler of bulk jobs: one change of many workspaces. */
export const handler = createHandler('bulk-jobs', jobOperations, {
  ...dependencies,
  jobs: openBulkJobs(dependencies.database, now),
  bucket: openBucketOnUse(BUCKET_NAME, readPresignedOrigin()),
  startWorker: openStartFunction(BULK_JOB_WORKER_FUNCTION),
  // Those of the bodies of single requests check the parameters of actions.
  validators: {
    bulkJob,
    bulkJobApplication,
    workspace,
    tags,
    tagBindings,
    newWorkspaceVariable,
    assignedWorkspaces,
    workspaceLock,
    workspaceForceUnlock,
  },
});
