import { duration, hasFailedPolicy, type Run } from './run.ts';

/** The performance of a workspace's runs: the past 30 that ended in error or were applied (RUN-9). */

/** What the figures take of a run. */
export interface FinishedRun {
  readonly id: string;
  readonly endedAt: number;
  readonly hasErrored: boolean;
  readonly hasFailedPolicy: boolean;
  /** In milliseconds; null where it had no such phase. */
  readonly planning: number | null;
  readonly applying: number | null;
}

/** Undefined while a run has neither errored nor been applied. */
export const finishedRun = (run: Run): FinishedRun | undefined =>
  run.ended && {
    id: run.id,
    endedAt: run.ended.at,
    hasErrored: run.ended.status === 'errored',
    hasFailedPolicy: hasFailedPolicy(run),
    planning: duration(run, 'plan'),
    applying: duration(run, 'apply'),
  };

const WINDOW = 30;

const latestFirst = (one: FinishedRun, other: FinishedRun): number =>
  other.endedAt - one.endedAt || (one.id < other.id ? 1 : -1);

/**
 * The window with a run as it is now. That runs only ever end later, and never cease to have ended, is why it makes no
 * difference in which order they come: what falls out has 30 above it for good.
 */
export const withFinished = (window: readonly FinishedRun[], run: FinishedRun): readonly FinishedRun[] =>
  [...window.filter(({ id }) => id !== run.id), run].sort(latestFirst).slice(0, WINDOW);

export interface RunMetrics {
  /** Average milliseconds, of the runs that had the phase; null where none had. */
  readonly planDuration: number | null;
  readonly applyDuration: number | null;
  readonly policyCheckFailures: number;
  readonly runFailures: number;
  readonly runs: number;
}

const average = (all: readonly (number | null)[]): number | null => {
  const known = all.filter((one) => one !== null);
  return known.length === 0 ? null : Math.round(known.reduce((sum, one) => sum + one, 0) / known.length);
};

export const computeRunMetrics = (window: readonly FinishedRun[]): RunMetrics => ({
  planDuration: average(window.map(({ planning }) => planning)),
  applyDuration: average(window.map(({ applying }) => applying)),
  policyCheckFailures: window.filter((run) => run.hasFailedPolicy).length,
  runFailures: window.filter(({ hasErrored }) => hasErrored).length,
  runs: window.length,
});
