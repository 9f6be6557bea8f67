import type { Bucket } from '../../shared/blob/bucket.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import type { ListDependencies } from '../../shared/runtime/dependencies.ts';
import type { JobReader } from '../../shared/store/bulk-jobs/bulk-job-reader.ts';
import type { JobWork } from '../../shared/store/bulk-jobs/job-work.ts';
import type { SendRequest } from './items.ts';

/** Dependencies of the worker of bulk jobs. */
export interface WorkerDependencies extends ListDependencies {
  readonly jobs: Pick<JobReader, 'find' | 'readItems' | 'readAllItems'>;
  readonly work: JobWork;
  readonly bucket: Pick<Bucket, 'put'>;
  readonly send: SendRequest;
  readonly clock: Clock;
}
