import { isFinalStatus, isWaitingStatus } from '../../components/badge.tsx';
import type { Step } from './run-times.ts';

/** Phases of a run in their order. */
const phases = ['Queued', 'Plan', 'Waiting', 'Apply'] as const;

/** Part of the course of a run. */
export interface Phase {
  readonly name: (typeof phases)[number];
  /** Its statuses; the first one begins it. */
  readonly steps: readonly [Step, ...Step[]];
  /** Time until the next phase, in milliseconds; undefined while the run is in it. */
  readonly duration: number | undefined;
}

const queued: readonly string[] = ['created', 'pending', 'fetching', 'fetching_completed', 'queuing', 'plan_queued'];

const phaseOf = (status: string): number => {
  if (queued.includes(status)) return 0;
  if (isWaitingStatus(status)) return 2;
  return /confirmed|apply/.test(status) ? 3 : 1;
};

/** Returns the phases that a run has been in. Its final status belongs to none of them. */
export const phasesOf = (steps: readonly Step[]): readonly Phase[] => {
  const found: Phase[] = [];
  for (const step of steps.filter(({ status }) => !isFinalStatus(status)).toReversed()) {
    const next = found[0];
    const index = phaseOf(step.status);
    // A plan whose costs are estimated waits for nobody yet if its policies are checked next.
    if (next !== undefined && index >= phases.indexOf(next.name)) {
      const duration =
        next.duration === undefined || step.duration === undefined ? undefined : next.duration + step.duration;
      found[0] = { ...next, steps: [step, ...next.steps], duration };
    } else {
      found.unshift({ name: phases[index] ?? 'Plan', steps: [step], duration: step.duration });
    }
  }
  return found;
};

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats a time with its seconds, and with its day only if that is not the day of another time, which the page names. */
export const formatOnDay = (time: string, other: string): string => {
  const [date, day] = [new Date(time), new Date(other)];
  return (date.toDateString() === day.toDateString() ? timeOfDay : dayAndTime).format(date);
};
