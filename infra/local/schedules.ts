import type { ScheduleDefinition } from './assembly.ts';
import type { Functions } from './functions.ts';

/**
 * Invokes functions by the schedules of the assembly. Like EventBridge it neither waits for an answer nor looks at it:
 * failures are in the function's log.
 * @returns how to end it.
 */
export const startSchedules = (schedules: readonly ScheduleDefinition[], functions: Functions): (() => void) => {
  const timers = schedules.map(({ functionName, everyMillis, event }) =>
    setInterval(() => void functions.invoke(functionName, event()).catch(() => undefined), everyMillis).unref(),
  );
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
};
