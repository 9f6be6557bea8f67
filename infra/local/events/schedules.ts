import type { ScheduleDefinition } from '../assembly/event-resources.ts';
import type { Functions } from '../lambda/functions.ts';

/** Largest delay of a timer in Node. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * Invokes functions by the schedules of the assembly. The outcome of an invocation is ignored, as in EventBridge; errors
 * are in the function log. Invocations that were due while the service was stopped are skipped.
 * @returns a function that stops the schedules.
 */
export const startSchedules = (
  schedules: readonly ScheduleDefinition[],
  functions: Pick<Functions, 'invoke' | 'endIdle'>,
): (() => void) => {
  const timers = new Map<ScheduleDefinition, NodeJS.Timeout>();
  const startTimer = (schedule: ScheduleDefinition, due: number): void => {
    const remaining = due - Date.now();
    const timer = setTimeout(
      () => (remaining > MAX_TIMER_MILLIS ? startTimer(schedule, due) : run(schedule, due)),
      Math.min(Math.max(remaining, 0), MAX_TIMER_MILLIS),
    );
    timers.set(schedule, timer.unref());
  };
  const run = (schedule: ScheduleDefinition, due: number): void => {
    void invoke(schedule).catch(() => undefined);
    scheduleNext(schedule, due);
  };
  const invoke = async ({ functionName, event }: ScheduleDefinition): Promise<void> => {
    await functions.invoke(functionName, event());
    // The next invocation is at least a minute away.
    functions.endIdle(functionName);
  };
  const scheduleNext = (schedule: ScheduleDefinition, after: number): void => {
    // Counting from the time that was due keeps a rate from drifting. After the computer was asleep, past times are skipped.
    const due = schedule.next(Math.max(after, Date.now() - MAX_LAG_MILLIS));
    if (due !== undefined) startTimer(schedule, due);
  };
  for (const schedule of schedules) scheduleNext(schedule, Date.now());
  return () => {
    for (const timer of timers.values()) clearTimeout(timer);
  };
};

const MAX_LAG_MILLIS = 1_000;
