import { currentMoment, isFinal, type Run, type RunStatus } from './run.ts';

/** Groups of runs by which lists are filtered (RUN-11). */

/** Operations of runs. Runners do not report runs that only refresh the state or apply an empty plan. */
export const runOperations = [
  'plan_and_apply',
  'plan_only',
  'save_plan',
  'refresh_only',
  'destroy',
  'empty_apply',
] as const;
type RunOperation = (typeof runOperations)[number];

/** Returns the operation of a run. */
export const operationOf = ({ planOnly, description: { isDestroy, savePlan } }: Run): RunOperation => {
  if (planOnly) return 'plan_only';
  if (isDestroy) return 'destroy';
  return savePlan ? 'save_plan' : 'plan_and_apply';
};

const discardable: ReadonlySet<RunStatus> = new Set([
  'pending',
  'planned',
  'post_plan_completed',
  'cost_estimated',
  'policy_checked',
  'policy_override',
  'planned_and_saved',
]);

/** Tests of runs by status group. A discardable run waits for a decision. */
const groups = {
  final: isFinal,
  non_final: (run: Run): boolean => !isFinal(run),
  discardable: (run: Run): boolean => discardable.has(currentMoment(run).status),
} as const;

/** Names of the status groups. */
export const runStatusGroups = Object.keys(groups) as readonly (keyof typeof groups)[];

/** Tells whether a run belongs to a status group. */
export const isInGroup = (run: Run, group: keyof typeof groups): boolean => groups[group](run);

const YEAR = 365 * 24 * 60 * 60 * 1_000;

/**
 * Reads a timeframe: `year` for the last 365 days, or the number of a calendar year in UTC.
 * @returns the times, in milliseconds since the epoch, from and before which runs were created; undefined for any other text.
 */
export const readTimeframe = (
  text: string,
  now: number,
): { readonly from: number; readonly before: number } | undefined => {
  if (text === 'year') return { from: now - YEAR, before: Number.POSITIVE_INFINITY };
  if (!/^[12][0-9]{3}$/.test(text)) return undefined;
  return { from: Date.UTC(Number(text), 0), before: Date.UTC(Number(text) + 1, 0) };
};
