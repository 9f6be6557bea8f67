import type { ScheduleDefinition } from '../assembly/assembly-events.ts';
import type { Functions } from '../lambda/functions.ts';

/** Longer than Node's timers can wait. */
const LONGEST_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * Invokes functions by the schedules of the assembly. Like EventBridge it neither waits for an answer nor looks at it:
 * failures are in the function's log. What was due while nothing ran is not made up for.
 * @returns how to end it.
 */
export const startSchedules = (
  schedules: readonly ScheduleDefinition[],
  functions: Pick<Functions, 'invoke'>,
): (() => void) => {
  const timers = new Map<ScheduleDefinition, NodeJS.Timeout>();
  const arm = (schedule: ScheduleDefinition, due: number): void => {
    const left = due - Date.now();
    const timer = setTimeout(
      () => (left > LONGEST_TIMER_MILLIS ? arm(schedule, due) : run(schedule, due)),
      Math.min(Math.max(left, 0), LONGEST_TIMER_MILLIS),
    );
    timers.set(schedule, timer.unref());
  };
  const run = (schedule: ScheduleDefinition, due: number): void => {
    void functions.invoke(schedule.functionName, schedule.event()).catch(() => undefined);
    plan(schedule, due);
  };
  const plan = (schedule: ScheduleDefinition, after: number): void => {
    // From the time that was due, so that a rate does not drift, unless this computer slept through several.
    const due = schedule.next(Math.max(after, Date.now() - LONGEST_LAG_MILLIS));
    if (due !== undefined) arm(schedule, due);
  };
  for (const schedule of schedules) plan(schedule, Date.now());
  return () => {
    for (const timer of timers.values()) clearTimeout(timer);
  };
};

const LONGEST_LAG_MILLIS = 1_000;
