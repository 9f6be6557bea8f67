import { createHash } from 'node:crypto';
import { jobReportKey } from '../../shared/blob/blob-keys.ts';
import { type BulkJob, type FinalStatus, type JobItem, outcomeOf } from '../../shared/domain/bulk-jobs/bulk-job.ts';
import type { WorkerDependencies } from './dependencies.ts';

const lineOf = (job: Pick<BulkJob, 'status'>, item: JobItem): string => {
  const { selected, preview, result } = item;
  const error = result?.error ?? preview?.error;
  return `${JSON.stringify({
    workspace: selected.id,
    name: selected.name,
    outcome: outcomeOf(job, item),
    preview: preview?.outcome ?? null,
    ...(selected.warnings && { warnings: selected.warnings }),
    ...(preview?.changes && { changes: preview.changes }),
    ...(error && { error }),
  })}\n`;
};

/** Stores the report of a job that is about to end: one line for each item (JOB-15). */
export const storeReport = async (
  { jobs, bucket }: WorkerDependencies,
  job: BulkJob,
  status: FinalStatus,
): Promise<NonNullable<BulkJob['report']>> => {
  const parts: Buffer[] = [];
  for await (const items of jobs.readAllItems(job)) {
    parts.push(Buffer.from(items.map((item) => lineOf({ status }, item)).join('')));
  }
  const content = Buffer.concat(parts);
  await bucket.put(jobReportKey(job.id), content);
  return { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
};
