/** Reads the time, in milliseconds since the epoch. */
export type Clock = () => number;

/** The clock of the process; nothing else in the source reads it. */
export const now: Clock = () => Date.now();

/** Formats a time as in RFC 3339, in UTC: `2021-08-16T20:50:01.000Z`. */
export const timestamp = (time: number): string => new Date(time).toISOString();

/** Resolves after so many milliseconds. */
export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
