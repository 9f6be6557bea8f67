import { absent } from '../../domain/changes/conditions.ts';
import { dayOf } from '../../domain/timestamps.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { countPartition, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { itemWrite } from '../items/item-write.ts';

const HOUR = 60 * 60_000;
/**
 * Time from the end of an hour until the days that it marked are counted, in milliseconds: longer than a function runs,
 * which may write entries after the hour.
 */
const SETTLED = 10 * 60_000;

/** Returns the number of the hour of a time, counted since the epoch. */
export const hourOf = (time: number): number => Math.floor(time / HOUR);

/** Builds the write of the mark of a day, unless the day is marked already. @param hour number of the hour that marks it. */
export const markWrite = (organization: string, day: string, hour: number, due = (hour + 1) * HOUR + SETTLED): Write =>
  itemWrite(
    'activity-mark',
    { organization, day, hour, d: countPartition(organization), dk: sortableTime(due) },
    absent('pk'),
  );

/**
 * Opens the marks of days with new entries in the audit trail. An instance writes one for each organization, day and hour.
 * A mark is written with the first of its entries and counted after the last one, so no entry is missed.
 */
export const openActivityMarks = (database: Database, clock: Clock) => {
  let current = 0;
  const marks = new Map<string, Promise<unknown>>();

  /** Marks the day of an entry. @param at time of the change, in milliseconds. */
  return async (organization: string, at: number): Promise<void> => {
    const hour = hourOf(clock());
    if (hour !== current) marks.clear();
    current = hour;
    const day = dayOf(at);
    const name = `${organization} ${day}`;
    const known = marks.get(name);
    const mark =
      known ??
      conditionHolds(persistWrite('history', { database, clock }, markWrite(organization, day, hour))).catch(
        (error) => {
          marks.delete(name);
          throw error;
        },
      );
    marks.set(name, mark);
    await mark;
  };
};
