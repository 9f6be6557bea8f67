import { dayOf } from './timestamps.ts';

/** Numbers of workspaces by what lists filter by. Each number is the total of a list with that filter (STAT-2). */
export interface Statistics {
  readonly workspaces: number;
  /** Locked workspaces by the time of the lock, the newest first. */
  readonly locks: readonly TimeSpan[];
  /** Workspaces by the time of the last change of the state, the newest first. */
  readonly stateChanges: readonly TimeSpan[];
  /** Workspaces by the release of the infrastructure tool, the most frequent first. */
  readonly infraVersions: readonly { readonly version: string; readonly count: number }[];
  /** Number of workspaces with a release that is not in `infraVersions`. */
  readonly otherInfraVersions: number;
  /** Workspaces by the status of the current run, the most frequent first. */
  readonly runStatuses: readonly { readonly status: string; readonly count: number }[];
  /** Number of workspaces that are not protected against deletion. */
  readonly unprotected: number;
  /** Absent if the organization does not say which workspaces are production. */
  readonly production?: { readonly count: number; readonly unprotected: number };
}

/** Number of workspaces with a time from `since` (inclusive) to `before` (exclusive), in milliseconds; null is open. */
export interface TimeSpan {
  readonly since: number | null;
  readonly before: number | null;
  readonly count: number;
}

/** Numbers of entries of the audit trail of a day. */
export interface DayCounts {
  readonly changes: number;
  /** Runs that ended, and those of them that failed. */
  readonly runs: number;
  readonly failedRuns: number;
}

/** A day that has been counted, such as `2026-11-28`. Days are in UTC. */
export interface ActivityDay extends DayCounts {
  readonly date: string;
}

const DAY = 24 * 60 * 60_000;

/** Number of days that statistics show, today included: a year. */
export const ACTIVITY_DAYS = 366;

/** Returns the first millisecond of a day, and that of the next one. */
export const boundsOf = (day: string): { readonly start: number; readonly end: number } => {
  const start = Date.parse(`${day}T00:00:00Z`);
  return { start, end: start + DAY };
};

/** Returns the day before another one. */
export const dayBefore = (day: string): string => dayOf(boundsOf(day).start - DAY);
