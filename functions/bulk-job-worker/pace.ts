import { type Clock, wait } from '../../shared/lib/clock.ts';

/** Waits until the next piece of work may start. */
export type Pace = () => Promise<void>;

/**
 * Spaces the starts of pieces of work evenly. Time that was not used is not made up for.
 * @param perSecond largest number of starts within a second.
 */
export const createPace = (perSecond: number, clock: Clock): Pace => {
  const gap = 1_000 / perSecond;
  let next = 0;
  return async () => {
    const at = Math.max(clock(), next);
    next = at + gap;
    const milliseconds = at - clock();
    if (milliseconds > 0) await wait(milliseconds);
  };
};
