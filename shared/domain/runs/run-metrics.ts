import { duration, hasFailedPolicy, type Run } from './run.ts';

/** The part of a run that counts for the metrics of its workspace (RUN-9). */
export interface FinishedRun {
  readonly id: string;
  readonly endedAt: number;
  readonly hasErrored: boolean;
  readonly hasFailedPolicy: boolean;
  /** Duration of the plan in milliseconds; null if the run had none. */
  readonly planning: number | null;
  /** Duration of the apply in milliseconds; null if the run had none. */
  readonly applying: number | null;
}

/** Returns the part of a run that counts for the metrics; undefined if it has neither errored nor been applied. */
export const finishedRun = (run: Run): FinishedRun | undefined =>
  run.ended && {
    id: run.id,
    endedAt: run.ended.at,
    hasErrored: run.ended.status === 'errored',
    hasFailedPolicy: hasFailedPolicy(run),
    planning: duration(run, 'plan'),
    applying: duration(run, 'apply'),
  };

/** Number of runs that the metrics cover. */
const WINDOW = 30;

const latestFirst = (one: FinishedRun, other: FinishedRun): number =>
  other.endedAt - one.endedAt || (one.id < other.id ? 1 : -1);

/**
 * Adds a run to the window of the runs that ended last, replacing its earlier version. The order of reports does not
 * matter: the end of a run never moves back, so a run that drops out always has 30 later ones.
 */
export const withFinished = (window: readonly FinishedRun[], run: FinishedRun): readonly FinishedRun[] =>
  [...window.filter(({ id }) => id !== run.id), run].sort(latestFirst).slice(0, WINDOW);

/** Metrics of the last 30 runs that errored or were applied (RUN-9). */
export interface RunMetrics {
  /** Average duration in milliseconds of the runs that had a plan; null if none had. */
  readonly planDuration: number | null;
  /** Average duration in milliseconds of the runs that had an apply; null if none had. */
  readonly applyDuration: number | null;
  readonly policyCheckFailures: number;
  readonly runFailures: number;
  readonly runs: number;
}

const average = (all: readonly (number | null)[]): number | null => {
  const known = all.filter((one) => one !== null);
  return known.length === 0 ? null : Math.round(known.reduce((sum, one) => sum + one, 0) / known.length);
};

/** Computes the metrics of a window of runs. */
export const computeRunMetrics = (window: readonly FinishedRun[]): RunMetrics => ({
  planDuration: average(window.map(({ planning }) => planning)),
  applyDuration: average(window.map(({ applying }) => applying)),
  policyCheckFailures: window.filter((run) => run.hasFailedPolicy).length,
  runFailures: window.filter(({ hasErrored }) => hasErrored).length,
  runs: window.length,
});
