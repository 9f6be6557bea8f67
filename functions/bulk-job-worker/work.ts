import type { Context } from 'aws-lambda';
import {
  type BulkJob,
  countFailures,
  type FinalStatus,
  hasEnded,
  type ItemPreview,
  type ItemResult,
  maxFailuresOf,
  SLICE,
  slicesOf,
} from '../../shared/domain/bulk-jobs/bulk-job.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { messages } from '../../shared/logging/log.ts';
import { actionDefinitions } from '../../shared/resources/bulk-jobs/action-requests.ts';
import type { StoredJob } from '../../shared/store/bulk-jobs/bulk-job-items.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { CallerRevoked, executeItem, executeJointly, previewItem, settledByPreview } from './items.ts';
import { createPace, type Pace } from './pace.ts';
import { storeReport } from './report.ts';
import { selectWorkspaces } from './select.ts';

/** A worker stops this long before its Lambda timeout, in milliseconds: longer than one slice takes. */
const MARGIN = 60_000;
/** Why a job ends whose caller has lost access. */
const REVOKED = 'The token was revoked, the session ended, or the person or team lost access to the organization.';

const sliceOf = async ({ jobs }: WorkerDependencies, job: StoredJob, slice: number) =>
  (await jobs.readItems(job, slice * SLICE, 1)).items.slice(0, SLICE);

/** Resolves the selection, or previews the next slice. */
const prepare = async (dependencies: WorkerDependencies, job: StoredJob, pace: Pace): Promise<void> => {
  const { work, send } = dependencies;
  if (job.total === undefined) {
    await work.resolve(job, await selectWorkspaces(dependencies, job));
  } else if (job.prepared === slicesOf(job)) {
    await work.becomeReady(job);
  } else {
    const items = await sliceOf(dependencies, job, job.prepared);
    const previews = await mapWithConcurrency(items, SLICE, async ({ selected }) => {
      await pace();
      return previewItem(send, job, selected);
    });
    await work.recordPreviews(job, previews);
  }
};

const isFailure = ({ outcome }: ItemResult): boolean => outcome === 'refused' || outcome === 'failed';

const skipped: ItemResult = { outcome: 'skipped' };

/** Waits for a piece of work. @returns undefined if the caller has no access any more. */
const unlessRevoked = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CallerRevoked) return undefined;
    throw error;
  }
};

interface Executed extends Pick<BulkJob, 'tag' | 'failure'> {
  readonly results: readonly ItemResult[];
}

/** Executes the items of a slice. What is left when too many have failed, or the caller has no access any more, is skipped. */
const executeSlice = async (
  { send }: WorkerDependencies,
  job: StoredJob,
  previews: readonly ItemPreview[],
  attempt: 'first' | 'resumed',
  pace: Pace,
): Promise<Executed> => {
  const most = maxFailuresOf(job);
  let failures = countFailures(job);
  let isRevoked = false as boolean;
  if (actionDefinitions[job.action].isJoint) {
    const changed = previews.filter((preview) => settledByPreview(job, preview) === undefined);
    for (const _ of changed) await pace();
    const nothing: Executed = { results: [] };
    const done = changed.length === 0 ? nothing : await unlessRevoked(executeJointly(send, job, changed, attempt));
    const { results, ...learned }: Executed = done ?? { ...nothing, failure: REVOKED };
    return {
      results: previews.map((one) => settledByPreview(job, one) ?? results[changed.indexOf(one)] ?? skipped),
      ...learned,
    };
  }
  const results = await mapWithConcurrency(previews, SLICE, async (preview): Promise<ItemResult> => {
    const settled = settledByPreview(job, preview);
    if (settled === undefined) await pace();
    if (failures > most || isRevoked) return skipped;
    const result = settled ?? (await unlessRevoked(executeItem(send, job, preview, attempt)));
    if (result === undefined) isRevoked = true;
    else if (isFailure(result)) failures += 1;
    return result ?? skipped;
  });
  return { results, ...(isRevoked && { failure: REVOKED }) };
};

/** Executes the next slice, or ends the job. */
const execute = async (
  dependencies: WorkerDependencies,
  job: StoredJob,
  attempt: 'first' | 'resumed',
  pace: Pace,
): Promise<void> => {
  const { work } = dependencies;
  const end = async (status: FinalStatus, failure?: string): Promise<void> => {
    const report = await storeReport(dependencies, job, status);
    await work.end(job, status, { report, ...(failure !== undefined && { failure }) });
  };
  if (job.failure !== undefined) return end('failed', job.failure);
  if (countFailures(job) > maxFailuresOf(job)) {
    return end('failed', `More than ${maxFailuresOf(job)} workspaces were refused or failed.`);
  }
  if (job.executed === slicesOf(job)) return end('complete');
  if (job.canceledAt !== undefined) return end('canceled');
  const items = await sliceOf(dependencies, job, job.executed);
  const previews = items.map(({ preview }) => preview as ItemPreview);
  const { results, ...learned } = await executeSlice(dependencies, job, previews, attempt, pace);
  await work.recordResults(job, results, learned);
};

/**
 * Creates the worker of bulk jobs. One worker holds a job, prepares or executes it slice by slice, and gives it up before its
 * time is over; the cleanup starts the next one (JOB-9).
 */
export const createWorker =
  (dependencies: WorkerDependencies) =>
  async (
    { job: id }: { readonly job: string },
    { awsRequestId: worker, getRemainingTimeInMillis }: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<void> => {
    const { jobs, work, clock, logger } = dependencies;
    const before = await jobs.find(id);
    if (before === undefined || hasEnded(before) || !(await work.acquire(id, worker))) return;
    // A worker that has not given up its lease may have executed a part of the slice.
    let attempt: 'first' | 'resumed' = before.worker === undefined ? 'first' : 'resumed';
    const pace = createPace(before.rate, clock);
    for (;;) {
      const job = await jobs.find(id);
      if (job === undefined || job.worker !== worker) return;
      if (getRemainingTimeInMillis() < MARGIN) {
        await work.release(job);
        return;
      }
      try {
        if (job.status === 'preparing') await prepare(dependencies, job, pace);
        else await execute(dependencies, job, attempt, pace);
      } catch (error) {
        if (!(error instanceof CallerRevoked) && !(error instanceof DomainError)) throw error;
        if (error instanceof DomainError && error.code === 'unavailable') throw error;
        logger.warn(messages.JOB_FAILED, { job: id, error });
        await work.end(job, 'failed', {
          failure: error instanceof CallerRevoked ? REVOKED : (error.detail ?? REVOKED),
        });
      }
      attempt = 'first';
    }
  };
