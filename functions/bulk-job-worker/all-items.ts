import type { BulkJob, JobItem } from '../../shared/domain/bulk-jobs/bulk-job.ts';
import type { WorkerDependencies } from './dependencies.ts';

/** Slices that one call reads. */
const SLICES = 100;

/** Reads all items of a job, by position, in pages. */
export async function* readAllItems(
  { jobs }: Pick<WorkerDependencies, 'jobs'>,
  job: BulkJob,
): AsyncGenerator<readonly JobItem[]> {
  for (let next: number | undefined = 0; next !== undefined; ) {
    const page = await jobs.readItems(job, next, SLICES);
    yield page.items;
    next = page.next;
  }
}
