import { absent, all, any, below, type Change, type Condition, equals } from '../../domain/changes/conditions.ts';
import type { Organization } from '../../domain/directory/records.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { keys } from '../dynamodb/keys.ts';
import { isOpen, organizationOf } from '../items/directory-items.ts';
import { OPEN, update } from '../items/item-write.ts';
import { SNAPSHOT_FRESH } from './list-index-store.ts';
import { readListIndex } from './read-list-index.ts';

/** A snapshot that this invocation is to create. */
export interface SnapshotJob {
  readonly organization: Organization;
  /** Time at which the job began, in epoch milliseconds: the time of the snapshot. */
  readonly begunAt: number;
}

/** A job that began longer ago, in milliseconds, was cut off: longer than the function may run. */
const ABANDONED = 10 * 60_000;

/**
 * Opens the records on organizations of which have a snapshot of their list index, and which job is creating one. Many
 * instances request a snapshot at once; the first to begin creates it.
 */
export const openSnapshotJobs = (database: Database, clock: Clock) => {
  /** @returns whether the condition held. */
  const record = ({ name, externalId }: Organization, condition: Condition, change: Change): Promise<boolean> => {
    const isSame = all(OPEN, equals('externalId', externalId), condition);
    return conditionHolds(database.write(update(keys.organization(name), change, isSame)));
  };
  const isCurrent = ({ begunAt }: SnapshotJob): Condition => equals('snapshotBegunAt', begunAt);

  return {
    /**
     * Begins a job.
     * @param unusableAt time of the existing snapshot, where the instance that requests another one could not use it.
     * @returns undefined where the organization does not exist, has a recent snapshot, or a job is under way.
     */
    begin: async (name: string, unusableAt?: number): Promise<SnapshotJob | undefined> => {
      const item = await database.get(keys.organization(name), true);
      if (!isOpen(item)) return undefined;
      const organization = organizationOf(item);
      const begunAt = clock();
      const isDue = any(
        absent('snapshotAt'),
        below('snapshotAt', begunAt - SNAPSHOT_FRESH),
        ...(unusableAt === undefined ? [] : [equals('snapshotAt', unusableAt)]),
      );
      const isFree = any(absent('snapshotBegunAt'), below('snapshotBegunAt', begunAt - ABANDONED));
      const hasBegun = await record(organization, all(isDue, isFree), { set: { snapshotBegunAt: begunAt } });
      return hasBegun ? { organization, begunAt } : undefined;
    },

    /** Reads the rows of the organization from the index. */
    readRows: ({ organization, begunAt }: SnapshotJob) => readListIndex(database, organization, begunAt),

    /** Records that the organization has the snapshot of this job. @returns false where the job is no longer current. */
    complete: (job: SnapshotJob) =>
      record(job.organization, isCurrent(job), { set: { snapshotAt: job.begunAt }, remove: ['snapshotBegunAt'] }),

    /** Records that the organization has no snapshot. */
    clear: (job: SnapshotJob) =>
      record(job.organization, isCurrent(job), { remove: ['snapshotAt', 'snapshotBegunAt'] }),

    /** Ends the job without a snapshot, so that the next one can begin. */
    cancel: (job: SnapshotJob) => record(job.organization, isCurrent(job), { remove: ['snapshotBegunAt'] }),

    /** Returns whether the organization exists and is not being deleted. */
    hasOrganization: async ({ organization }: SnapshotJob) =>
      isOpen(await database.get(keys.organization(organization.name), true)),
  };
};

export type SnapshotJobs = ReturnType<typeof openSnapshotJobs>;
