/** The only reader of the clock. Times inside are milliseconds since the epoch; documents carry RFC 3339 in UTC. */
export type Clock = () => number;

export const now: Clock = () => Date.now();

/** `2021-08-16T20:50:01.000Z` */
export const timestamp = (time: number): string => new Date(time).toISOString();

export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
