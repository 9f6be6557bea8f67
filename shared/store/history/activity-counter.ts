import { absent, any, below, exists } from '../../domain/changes/conditions.ts';
import { ACTIVITY_DAYS, boundsOf, type DayCounts, dayBefore } from '../../domain/statistics.ts';
import { dayOf } from '../../domain/timestamps.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { auditPartitions, countPartitions, type Item, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import { persist, sendWrites } from '../dynamodb/retry-writes.ts';
import { isOpen, organizationOf } from '../items/directory-items.ts';
import { check, remove, update } from '../items/item-write.ts';
import { findDue } from '../workspaces/auto-destroy.ts';
import { hourOf, markWrite } from './activity-marks.ts';
import { dayAttribute, expiryOfMonth, monthOf } from './activity-reader.ts';
import { LATE_MILLISECONDS } from './audit-trail-reader.ts';
import { TIME_MARGIN } from './history-reader.ts';

/** A day of which a part has been counted: where the rest begins, and the numbers so far. */
interface Progress extends DayCounts {
  /** Number of the partition of the audit trail that is read next. */
  readonly partition: number;
  /** Last key that was read in it. */
  readonly after?: Item;
}

const START: Progress = { partition: 0, changes: 0, runs: 0, failedRuns: 0 };

/** Adds the pointers of the audit trail that are of the day. One of an earlier release lacks the time of its change. */
const addPointers = (progress: Progress, pointers: readonly Item[], { start, end }: ReturnType<typeof boundsOf>) => {
  let { changes, runs, failedRuns } = progress;
  for (const { at, sk, endedRun } of pointers) {
    const time = at === undefined ? Number(String(sk).split('#')[0]) : Number(at);
    if (time < start || time >= end) continue;
    changes++;
    if (endedRun !== undefined) runs++;
    if (endedRun === 'errored') failedRuns++;
  }
  return { ...progress, changes, runs, failedRuns };
};

/**
 * Opens the counts of the entries of the audit trail by day (STAT-6). A count reads all pointers of the day and replaces its
 * numbers, so it can be repeated.
 * @param historyDays days for which an entry is kept: earlier days are not counted.
 */
export const openActivityCounter = (database: Database, clock: Clock, historyDays: number) => {
  /** Reads the pointers of a day until all are read, or there is no more time. */
  const countPointers = async (
    organization: string,
    day: string,
    begun: Progress,
    hasTime: () => boolean,
  ): Promise<{ readonly progress: Progress; readonly isComplete: boolean }> => {
    const bounds = boundsOf(day);
    const range = {
      from: sortableTime(Math.max(0, bounds.start - TIME_MARGIN)),
      until: sortableTime(bounds.end + LATE_MILLISECONDS),
    };
    const partitions = auditPartitions(organization);
    let progress = begun;
    while (progress.partition < partitions.length) {
      const partition = partitions[progress.partition] as string;
      const { items, next } = await database.page(
        { partition, ...range, only: ['pk', 'sk', 'at', 'endedRun'] },
        progress.after,
      );
      const { after: _, ...counted } = addPointers(progress, items, bounds);
      progress = next === undefined ? { ...counted, partition: counted.partition + 1 } : { ...counted, after: next };
      if (progress.partition < partitions.length && !hasTime()) return { progress, isComplete: false };
    }
    return { progress, isComplete: true };
  };

  /** Replaces the numbers of a day, unless a later mark has been counted already, or the organization is deleted. */
  const writeDay = async (
    organization: string,
    { day, hour }: { readonly day: string; readonly hour: number },
    { changes, runs, failedRuns }: DayCounts,
  ): Promise<void> => {
    const [month, attribute] = [monthOf(day), dayAttribute(day)];
    const set = {
      ...typeAndVersion('activity-month'),
      ...{ organization, month, ttl: expiryOfMonth(month) },
      [attribute]: { changes, runs, failedRuns, hour },
    };
    const isNewer = any(absent(attribute), below(`${attribute}.hour`, hour + 1));
    const writes = [
      update(keys.activityMonth(organization, month), { set }, isNewer),
      check(keys.organization(organization)),
    ];
    await conditionHolds(persist('history', clock, (_, remaining) => sendWrites(database, writes, remaining())));
  };

  /** Marks the day before, if it has never been counted: a year is counted backwards, day by day. */
  const markDayBefore = async (organization: string, day: string, createdAt: number): Promise<void> => {
    const before = dayBefore(day);
    const days = Math.min(ACTIVITY_DAYS, historyDays);
    if (before < dayOf(Math.max(createdAt, clock() - (days - 1) * 24 * 60 * 60_000))) return;
    const month = await database.get(keys.activityMonth(organization, monthOf(before)), true);
    if (month?.[dayAttribute(before)] !== undefined) return;
    await conditionHolds(database.write(markWrite(organization, before, hourOf(clock()), clock())));
  };

  return {
    /** Yields the keys of the marks that are due. */
    due: (until: number) => findDue(database, countPartitions, until),

    /**
     * Counts the day of a mark, and removes the mark.
     * @param hasTime returns false if the rest is left to the next invocation. At least one page is read.
     * @returns whether the day has been counted.
     */
    count: async (key: Key, hasTime: () => boolean): Promise<boolean> => {
      const mark = await database.get(key, true);
      if (mark === undefined) return true;
      const [organization, day, hour] = [String(mark['organization']), String(mark['day']), Number(mark['hour'])];
      const item = await database.get(keys.organization(organization), true);
      if (isOpen(item)) {
        const begun = (mark['progress'] as Progress | undefined) ?? START;
        const { progress, isComplete } = await countPointers(organization, day, begun, hasTime);
        if (!isComplete) {
          await conditionHolds(database.write(update(key, { set: { progress } }, exists('pk'))));
          return false;
        }
        await writeDay(organization, { day, hour }, progress);
        await markDayBefore(organization, day, organizationOf(item).createdAt);
      }
      await database.write(remove(key));
      return true;
    },
  };
};

export type ActivityCounter = ReturnType<typeof openActivityCounter>;
