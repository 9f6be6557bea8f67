import {
  type BulkJob,
  countPreviews,
  countResults,
  type FinalStatus,
  type ItemPreview,
  type ItemResult,
  type SelectedWorkspace,
  SLICE,
} from '../../domain/bulk-jobs/bulk-job.ts';
import {
  absent,
  all,
  any,
  below,
  type Change,
  type Condition,
  equals,
  merge,
} from '../../domain/changes/conditions.ts';
import type { OrganizationChangeType } from '../../domain/changes/organization-changes.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persist, sendWrites } from '../dynamodb/retry-writes.ts';
import { check, itemWrite, remove, update } from '../items/item-write.ts';
import { withChangeRecord } from '../items/record-items.ts';
import { serviceRequest } from '../workspaces/service-request.ts';
import { jobExpiry, type StoredJob } from './bulk-job-items.ts';
import { dueAt, recordJob } from './bulk-job-store.ts';

/** Name under which the changes that a worker makes to a job itself are recorded. */
const SERVICE = 'bulk-jobs';
/**
 * Time for which a worker holds a job after each slice, in milliseconds. A slice takes less: 25 items at one item a second, and
 * the retries of the last of them.
 */
const LEASE_MILLISECONDS = 90_000;
/** Number of slices that one transaction stores. Each can have 25 names of 90 characters. */
const SLICES_AT_ONCE = 20;

/** Builds the condition that the worker which read a job still holds it, in the same status. */
const heldBy = ({ worker = '', status }: StoredJob, condition: Condition = all()): Condition =>
  all(equals('worker', worker), equals('status', status), condition);

/** Returns the amounts to add to the counts at a path. */
const sums = (path: string, counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [[`${path}.${name}`, count]])),
  );

const sliceWrite = (
  { id, createdAt }: StoredJob,
  slice: number,
  items: readonly SelectedWorkspace[],
  previewed?: true,
): Write => itemWrite('bulk-job-slice', { job: id, slice, items, previewed, ttl: jobExpiry(createdAt) });

/** Opens the writes of a worker, each of which is conditional on its lease. */
const openHeldWrites = (database: Database, clock: Clock) => {
  /** Sends writes. @returns false if a condition does not hold. */
  const send = (writes: readonly Write[]): Promise<boolean> =>
    persist('bulk job', clock, async (_, remaining) => {
      try {
        await sendWrites(database, writes, remaining());
        return true;
      } catch (error) {
        if (error instanceof ConditionFailed) return false;
        throw error;
      }
    });

  const lease = (id: string, worker: string) => {
    const leaseUntil = clock() + LEASE_MILLISECONDS;
    return { worker, leaseUntil, ...dueAt(id, leaseUntil) };
  };

  return {
    send,
    lease,

    /** Advances a job by a change, and extends the lease. */
    advance: (job: StoredJob, change: Change, condition?: Condition, ...others: Write[]): Promise<boolean> =>
      send([
        update(keys.bulkJob(job.id), merge(change, { set: lease(job.id, job.worker ?? '') }), heldBy(job, condition)),
        ...others,
      ]),

    /** Changes the status of a job, which gives up the lease. */
    changeStatus: (
      job: StoredJob,
      type: OrganizationChangeType,
      set: Readonly<Record<string, unknown>>,
      ...others: Write[]
    ): Promise<boolean> => {
      const change = {
        set: { ...set, revision: job.revision + 1 },
        remove: ['worker', 'leaseUntil', 'd', 'dk'],
      };
      const recorded = withChangeRecord(change, recordJob(type, serviceRequest(SERVICE), clock()));
      return send([update(keys.bulkJob(job.id), recorded, heldBy(job)), ...others]);
    },
  };
};

/**
 * Opens the work on jobs. A worker holds a lease. Each of its writes is conditional on the lease and on the number of slices
 * that are done, so that a worker that was thought dead records nothing, and no slice is counted twice (JOB-9). The worker
 * reads the job again after each write.
 */
export const openJobWork = (database: Database, clock: Clock) => {
  const { send, lease, advance, changeStatus } = openHeldWrites(database, clock);
  return {
    /** Takes the lease of a job that has work to do. @returns whether the worker holds it. */
    acquire: (id: string, worker: string): Promise<boolean> =>
      send([
        update(
          keys.bulkJob(id),
          { set: lease(id, worker) },
          all(
            any(equals('status', 'preparing'), equals('status', 'active')),
            any(absent('worker'), equals('worker', worker), below('leaseUntil', clock())),
          ),
        ),
      ]),

    /** Gives up the lease, so that the cleanup starts another worker. */
    release: (job: StoredJob): Promise<boolean> =>
      send([
        update(keys.bulkJob(job.id), { set: dueAt(job.id, clock()), remove: ['worker', 'leaseUntil'] }, heldBy(job)),
      ]),

    /**
     * Stores the selected workspaces, in slices, and then their number. A worker that was cut off begins again. One that has lost
     * its lease stores nothing, because the previews of another one may be there.
     */
    resolve: async (job: StoredJob, selected: readonly SelectedWorkspace[]): Promise<boolean> => {
      const isUnresolved = check(keys.bulkJob(job.id), heldBy(job, absent('total')));
      for (let first = 0; first < selected.length; first += SLICES_AT_ONCE * SLICE) {
        const slices = Array.from({ length: SLICES_AT_ONCE }, (_, index) => first / SLICE + index)
          .map((slice) => ({ slice, items: selected.slice(slice * SLICE, (slice + 1) * SLICE) }))
          .filter(({ items }) => items.length > 0);
        const isHeld = await send([isUnresolved, ...slices.map(({ slice, items }) => sliceWrite(job, slice, items))]);
        if (!isHeld) return false;
      }
      return advance(job, { set: { total: selected.length } }, absent('total'));
    },

    /** Records the previews of the next slice. */
    recordPreviews: (job: StoredJob, previews: readonly ItemPreview[]): Promise<boolean> =>
      advance(
        job,
        { add: { prepared: 1, ...sums('previews', countPreviews(previews)) } },
        equals('prepared', job.prepared),
        sliceWrite(job, job.prepared, previews, true),
      ),

    /** Records that the preview is complete. */
    becomeReady: (job: StoredJob): Promise<boolean> =>
      changeStatus(job, 'bulk-job.ready', { status: 'ready', readyAt: clock() }),

    /**
     * Records the results of the next slice.
     * @param learned `tag`: entity tag of the variable set whose assignments the slice changed; `failure`: why the job has to end.
     */
    recordResults: (
      job: StoredJob,
      results: readonly ItemResult[],
      learned: Pick<BulkJob, 'tag' | 'failure'> = {},
    ): Promise<boolean> =>
      advance(
        job,
        {
          add: { executed: 1, ...sums('outcomes', countResults(results)) },
          set: learned,
        },
        equals('executed', job.executed),
        itemWrite('bulk-job-results', {
          job: job.id,
          slice: job.executed,
          results,
          ttl: jobExpiry(job.createdAt),
        }),
      ),

    /** Ends a job, and lets another job of the organization become active. @param failure why it failed. */
    end: (
      job: StoredJob,
      status: FinalStatus,
      { failure, report }: Pick<Partial<StoredJob>, 'failure' | 'report'> = {},
    ): Promise<boolean> => {
      const set = {
        status,
        endedAt: clock(),
        ...(failure !== undefined && { failure }),
        ...(report !== undefined && { report }),
      };
      const place = remove(keys.activeJob(job.organization), any(absent('pk'), equals('job', job.id)));
      return changeStatus(job, 'bulk-job.completed', set, ...(job.status === 'active' ? [place] : []));
    },
  };
};

export type JobWork = ReturnType<typeof openJobWork>;
