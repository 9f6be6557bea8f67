import { ACTIVITY_DAYS, type ActivityDay, boundsOf, type DayCounts } from '../../domain/statistics.ts';
import { dayOf } from '../../domain/timestamps.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { activityPartition, prefixes } from '../dynamodb/keys.ts';

const DAY = 24 * 60 * 60_000;
/** Time for which the numbers of a month are kept after its first day: until a year after its last one is over. */
const KEPT = (31 + 400) * DAY;

/** Returns the month of a day, such as `2026-11`. */
export const monthOf = (day: string): string => day.slice(0, 7);

const DAY_PREFIX = 'day';
/** Returns the name of the attribute with the numbers of a day. */
export const dayAttribute = (day: string): string => DAY_PREFIX + day.slice(8);

/** Returns the time at which the numbers of a month expire, in seconds. */
export const expiryOfMonth = (month: string): number => (boundsOf(`${month}-01`).start + KEPT) / 1_000;

/** Opens the reads of the numbers by day. */
export const openActivityReader = (database: Database, clock: Clock) => ({
  /** Reads the days of the last year that have been counted, the earliest first, in one call: at most 13 items. */
  read: async (organization: string): Promise<readonly ActivityDay[]> => {
    const first = dayOf(clock() - (ACTIVITY_DAYS - 1) * DAY);
    const items = await database.query({
      partition: activityPartition(organization),
      from: prefixes.activityMonths + monthOf(first),
      until: `${prefixes.activityMonths}~`,
    });
    return items.flatMap((item) =>
      Object.entries(item)
        .filter(([name]) => name.startsWith(DAY_PREFIX))
        .map(([name, value]) => {
          const { changes, runs, failedRuns } = value as DayCounts;
          return { date: `${item['month']}-${name.slice(DAY_PREFIX.length)}`, changes, runs, failedRuns };
        })
        .filter(({ date }) => date >= first)
        .sort((a, b) => Number(a.date > b.date) - Number(a.date < b.date)),
    );
  },
});

export type ActivityReader = ReturnType<typeof openActivityReader>;
