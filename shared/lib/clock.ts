/** Reads the time, in milliseconds since the epoch. */
export type Clock = () => number;

/** The clock of the process; nothing else in the source reads it. */
export const now: Clock = () => Date.now();

/** Formats a time as in RFC 3339, in UTC: `2021-08-16T20:50:01.000Z`. */
export const timestamp = (time: number): string => new Date(time).toISOString();

/** Resolves after so many milliseconds. */
export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Starts a time limit. After a process stood still, because its computer was busy or Lambda had frozen it, Node runs timers
 * before it reads what has arrived in the meantime. So the limit expires only after that was read.
 * @param expire called after the time in milliseconds.
 * @returns a function that ends the limit.
 */
export const startTimeLimit = (milliseconds: number, expire: () => void): (() => void) => {
  let expiring: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    expiring = setImmediate(expire);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(expiring);
  };
};
