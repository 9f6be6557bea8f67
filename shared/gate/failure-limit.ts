import { addressBlock } from './address-block.ts';
import { createBoundedMap } from './bounded-map.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Limit on the failed authentications of each client address, counted in the memory of this instance only. */
export interface FailureLimit {
  /** Counts a failed authentication. @param time start of the request, in milliseconds. */
  readonly count: (address: string, time: number) => void;
  /** Returns the seconds until the address may fail again; 0 if it may now. @param time the present time. */
  readonly wait: (address: string, time: number) => number;
}

/** Failed authentications of an address in a minute (HTTP-44). */
export const MAX_FAILURES = 30;
const MAX_ADDRESSES = 10_000;

/** Creates the limit: an address may fail so many times at once, and again evenly over the next minute. */
export const createFailureLimit = (): FailureLimit => {
  const buckets = createBoundedMap<TokenBucket>(MAX_ADDRESSES);
  return {
    count: (address, time) => {
      const block = addressBlock(address);
      const bucket = buckets.get(block);
      bucket?.take(time);
      buckets.set(block, bucket ?? createTokenBucket({ rate: MAX_FAILURES / 60, burst: MAX_FAILURES }, time));
    },
    wait: (address, time) => buckets.get(addressBlock(address))?.wait(time) ?? 0,
  };
};
