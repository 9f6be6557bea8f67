import type { Bucket } from '../../shared/blob/bucket.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { StartFunction } from '../../shared/runtime/start-function.ts';
import type { BulkJobs } from '../../shared/store/bulk-jobs/bulk-job-store.ts';

/** Dependencies of the operations on bulk jobs. */
export interface JobDependencies extends Dependencies {
  readonly jobs: BulkJobs;
  readonly bucket: Pick<Bucket, 'downloadUrl'>;
  readonly startWorker: StartFunction;
}
