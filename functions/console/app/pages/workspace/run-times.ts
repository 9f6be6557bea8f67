import type { Run } from '../../../../../shared/client/types.ts';
import { isFinalStatus, isWaitingStatus } from '../../components/badge.tsx';

/** Computes the time from the creation of a run to its last report, in milliseconds. */
export const durationOf = ({ attributes }: Run): number => {
  const times = Object.values(attributes['status-timestamps']).map((time) => Date.parse(time));
  return Math.max(0, ...times.map((time) => time - Date.parse(attributes['created-at'])));
};

/** A run without a report for this long, in milliseconds, may have been abandoned. */
const SILENCE = 21_600_000;

/** Returns when a run was last reported, in milliseconds. */
export const lastReportOf = (run: Run): number => Date.parse(run.attributes['created-at']) + durationOf(run);

/** Returns whether a run that has not ended was not reported for long. */
export const isSilent = (run: Run): boolean =>
  !isFinalStatus(run.attributes.status) && Date.now() - lastReportOf(run) > SILENCE;

/** A status that a run has had. */
export interface Step {
  readonly status: string;
  /** Time of the first report of it. */
  readonly at: string;
  /** Time until the next status, in milliseconds; undefined for the last one. */
  readonly duration: number | undefined;
}

/** Returns the statuses of a run in the order of their times, after its creation if that was earlier. */
export const stepsOf = ({ attributes }: Run): readonly Step[] => {
  const reported = Object.entries(attributes['status-timestamps'])
    .map(([name, at]) => ({ status: name.replace(/-at$/, '').replaceAll('-', '_'), at }))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const created = attributes['created-at'];
  const [first] = reported;
  const isFirstCreation = first !== undefined && Date.parse(first.at) <= Date.parse(created);
  const steps = isFirstCreation ? reported : [{ status: 'created', at: created }, ...reported];
  return steps.map((step, index) => {
    const next = steps[index + 1];
    return { ...step, duration: next && Math.max(0, Date.parse(next.at) - Date.parse(step.at)) };
  });
};

/** Computes the time from the creation of a run to its last report without the waits for a decision, in milliseconds. */
export const workOf = (run: Run): number =>
  stepsOf(run).reduce((sum, { status, duration = 0 }) => sum + (isWaitingStatus(status) ? 0 : duration), 0);
