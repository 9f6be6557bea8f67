import { addressBlock } from './address-block.ts';
import { createBoundedMap } from './bounded-map.ts';

/** Limit on the failed authentications of each client address, counted in the memory of this instance only. */
export interface FailureLimit {
  /** Counts a failed authentication. */
  readonly count: (address: string, time: number) => void;
  /** Returns the seconds until the address may fail again; 0 if it may now. */
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
  return {
    count: (address, time) => {
      const block = addressBlock(address);
      clearAt.set(block, Math.max(clearAt.get(block) ?? 0, time) + interval);
    },
    wait: (address, time) => {
      const excess = (clearAt.get(addressBlock(address)) ?? 0) - time - MINUTE_MILLISECONDS + interval;
      return Math.max(0, excess / 1_000);
    },
  };
};
