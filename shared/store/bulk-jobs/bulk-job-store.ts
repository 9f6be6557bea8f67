import { type BulkJob, hasEnded, type JobCaller, noPreviews, noResults } from '../../domain/bulk-jobs/bulk-job.ts';
import { createChangeRecord, type RequestContext } from '../../domain/changes/change-context.ts';
import { absent, all, any, applyChange, type Change, type Condition, equals } from '../../domain/changes/conditions.ts';
import { requireMatch } from '../../domain/changes/entity-tags.ts';
import type { OrganizationChange, OrganizationChangeType } from '../../domain/changes/organization-changes.ts';
import { conflict, notFound } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { newEventId } from '../../lib/random.ts';
import { tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { cleanupPartition, keys, listPartition, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persist, persistWrite, sendWrites } from '../dynamodb/retry-writes.ts';
import { itemWrite, put, update } from '../items/item-write.ts';
import { withChangeRecord } from '../items/record-items.ts';
import { jobExpiry, jobOf, type StoredJob } from './bulk-job-items.ts';
import { openJobReader } from './bulk-job-reader.ts';

/** A job before it is stored. */
export type NewJob = Pick<
  BulkJob,
  | 'id'
  | 'organization'
  | 'externalId'
  | 'action'
  | 'parameters'
  | 'selection'
  | 'rate'
  | 'maxFailures'
  | 'note'
  | 'caller'
>;

/** Time after which the cleanup starts a worker for a job that no worker has taken, in milliseconds. */
const START_MILLISECONDS = 60_000;

/** Returns the attributes of the entry of a job in the cleanup queue, which starts a worker when it is due. */
export const dueAt = (id: string, time: number) => ({
  d: cleanupPartition(keys.bulkJob(id).pk),
  dk: sortableTime(time),
});

/** Builds the change record of a job. */
export const recordJob = (type: OrganizationChangeType, request: RequestContext, at: number): OrganizationChange =>
  createChangeRecord(newEventId(), type, request, at, {});

/** Returns a job as a resource with a revision. */
const asRevised = ({ id, revision }: BulkJob) => ({ id, revision });

/** Opens what the requests on bulk jobs read and write. */
export const openBulkJobs = (database: Database, clock: Clock) => {
  const reader = openJobReader(database);
  /**
   * Changes a job in one transaction, planned again while another request changes it.
   * @param plan returns the change of the job, and further writes; undefined if the job is as requested already.
   */
  const change = (
    id: string,
    request: RequestContext,
    type: OrganizationChangeType,
    plan: (
      job: StoredJob,
      at: number,
    ) => Promise<{ readonly of: Change; readonly writes?: readonly Write[] } | undefined>,
  ): Promise<StoredJob> =>
    persist('bulk job', clock, async (at, remaining) => {
      const item = await database.get(keys.bulkJob(id), true);
      if (item === undefined) throw notFound();
      const job = jobOf(item);
      // An earlier attempt was applied, and its response was lost.
      if ((item['chg'] as OrganizationChange).request === request.id) return job;
      const planned = await plan(job, at);
      if (planned === undefined) return job;
      const condition = all(equals('revision', job.revision), equals('status', job.status));
      const recorded = withChangeRecord(planned.of, recordJob(type, request, at));
      try {
        await sendWrites(
          database,
          [update(keys.bulkJob(id), recorded, condition), ...(planned.writes ?? [])],
          remaining(),
        );
      } catch (error) {
        if (error instanceof ConditionFailed) return tryAgain;
        throw error;
      }
      return jobOf(applyChange(recorded, item));
    });

  /** Requires that no other job of the organization is active. @returns the condition of the write that claims the place. */
  const requireNoOther = async ({ id, organization }: StoredJob): Promise<Condition> => {
    const place = await database.get(keys.activeJob(organization), true);
    const other = place?.['job'];
    if (other === undefined || other === id) return any(absent('pk'), equals('job', id));
    const active = await reader.find(String(other));
    if (active !== undefined && !hasEnded(active)) {
      throw conflict(`The bulk job ${active.id} of the organization is active. Apply this one when it has ended.`, {
        job: active.id,
      });
    }
    return equals('job', String(other));
  };

  return {
    ...reader,

    /** Stores a new job. A worker that is not started now is started by the cleanup. */
    create: async (request: RequestContext, { organization, ...job }: NewJob): Promise<StoredJob> => {
      const at = clock();
      const item = {
        ...job,
        org: organization,
        status: 'preparing',
        revision: 0,
        createdAt: at,
        prepared: 0,
        executed: 0,
        previews: noPreviews,
        outcomes: noResults,
        l: listPartition.bulkJobs(organization),
        lk: `${sortableTime(at)}#${job.id}`,
        ...dueAt(job.id, at + START_MILLISECONDS),
        ttl: jobExpiry(at),
        chg: recordJob('bulk-job.created', request, at),
        seq: 1,
      };
      // The id is derived from the request, or random: an item with it was written by an earlier attempt.
      const own = any(absent('pk'), equals('chg.request', request.id));
      await persistWrite('bulk job', { database, clock }, put(keys.bulkJob(job.id), 'bulk-job', item, own));
      return jobOf(item);
    },

    /** Starts a job that is ready, for a caller whose token or session it depends on from now on (JOB-5). */
    start: (
      id: string,
      request: RequestContext,
      applied: { readonly caller: JobCaller; readonly skipWarned: boolean },
    ): Promise<StoredJob> =>
      change(id, request, 'bulk-job.applied', async (job, at) => {
        requireMatch(request.precondition, asRevised(job));
        if (job.status !== 'ready') {
          throw conflict(`The bulk job is ${job.status}. Only a job that is ready can be applied.`);
        }
        const { organization, revision } = job;
        const place = { organization, job: id, ttl: jobExpiry(job.createdAt) };
        const set = { status: 'active', revision: revision + 1, appliedAt: at, ...applied };
        return {
          of: { set: { ...set, ...dueAt(id, at + START_MILLISECONDS) } },
          writes: [itemWrite('active-bulk-job', place, await requireNoOther(job))],
        };
      }),

    /** Cancels a job: at once before it is active, else after the slice that is under way (JOB-11). */
    cancel: (id: string, request: RequestContext): Promise<StoredJob> =>
      change(id, request, 'bulk-job.canceled', async (job, at) => {
        if (hasEnded(job)) throw conflict(`The bulk job is ${job.status}, and cannot be canceled.`);
        if (job.status === 'active')
          return job.canceledAt === undefined ? { of: { set: { canceledAt: at } } } : undefined;
        const set = { status: 'canceled', revision: job.revision + 1, canceledAt: at, endedAt: at };
        return { of: { set, remove: ['d', 'dk', 'worker', 'leaseUntil'] } };
      }),
  };
};

export type BulkJobs = ReturnType<typeof openBulkJobs>;
