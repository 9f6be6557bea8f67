import { addressBlock } from './address-block.ts';
import { createBoundedMap } from './bounded-map.ts';

/** Limit on the failed authentications of each client address, counted in the memory of this instance only. */
export interface FailureLimit {
  /** Counts a failed authentication. @param time start of the request, in milliseconds. */
  readonly count: (address: string, time: number) => void;
  /** Returns the seconds until the address may fail again; 0 if it may now. @param time the present time. */
  readonly wait: (address: string, time: number) => number;
}

/** Failed authentications of an address in a minute (HTTP-44). */
export const MAX_FAILURES = 30;
const MINUTE_MILLISECONDS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Creates the limit: an address may fail so many times at once, and again evenly over the next minute. */
export const createFailureLimit = (): FailureLimit => {
  /** Times at which the failures of an address are forgiven. Each failure delays the time. */
  const clearAt = createBoundedMap<number>(MAX_ADDRESSES);
  const interval = MINUTE_MILLISECONDS / MAX_FAILURES;
  /** Time of the latest request, and the milliseconds by which the clock was set back since the first one. */
  let latest = 0;
  let behind = 0;
  return {
    count: (address, time) => {
      const block = addressBlock(address);
      clearAt.set(block, Math.max(clearAt.get(block) ?? 0, time + behind) + interval);
    },
    wait: (address, time) => {
      // Otherwise one failure would block its address until the clock has caught up.
      behind += Math.max(0, latest - time);
      latest = time;
      const excess = (clearAt.get(addressBlock(address)) ?? 0) - time - behind - MINUTE_MILLISECONDS + interval;
      return Math.max(0, excess / 1_000);
    },
  };
};
