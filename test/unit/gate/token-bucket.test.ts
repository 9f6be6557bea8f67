import { describe, expect, it } from 'vitest';
import { createTokenBucket, type TokenBucket, type TokenLimit } from '../../../shared/gate/token-bucket.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = 30_000_000 * MINUTE;
const limit: TokenLimit = { rate: 100, burst: 200 };

interface Traffic {
  readonly instances: number;
  /** Requests per second that the caller sends, evenly spread over time and over the instances in turn. */
  readonly requestsPerSecond: number;
  readonly seconds: number;
}

/** Sends traffic of one token to several instances. @returns the number of admitted requests. */
const simulate = ({ instances, requestsPerSecond, seconds }: Traffic): number => {
  const buckets: (TokenBucket | undefined)[] = Array.from({ length: instances }, () => undefined);
  let admitted = 0;
  for (let index = 0; index < requestsPerSecond * seconds; index++) {
    const time = START + Math.floor((index * SECOND) / requestsPerSecond);
    const bucket = buckets[index % instances];
    if (bucket === undefined) {
      buckets[index % instances] = createTokenBucket(limit, time);
      admitted += 1;
    } else if (bucket.take(time).isAdmitted) admitted += 1;
  }
  return admitted;
};

describe('a token bucket', () => {
  it('admits the burst at once, and then the rate', () => {
    const admitted = simulate({ instances: 1, requestsPerSecond: 1_000, seconds: 30 });
    expect(admitted).toBeGreaterThanOrEqual(limit.burst + 29 * limit.rate);
    expect(admitted).toBeLessThanOrEqual(limit.burst + 30 * limit.rate);
  });

  it('states when the next request is admitted', () => {
    const bucket = createTokenBucket({ rate: 10, burst: 2 }, START);
    expect(bucket.take(START)).toEqual({ isAdmitted: true, remaining: 0, wait: 0.1 });
    expect(bucket.take(START + 50)).toEqual({ isAdmitted: false, remaining: 0, wait: 0.05 });
    expect(bucket.take(START + 100)).toMatchObject({ isAdmitted: true });
  });

  it('goes on when the clock is set back', () => {
    const bucket = createTokenBucket(limit, START);
    bucket.take(START + MINUTE);
    expect(bucket.take(START)).toMatchObject({ isAdmitted: true, wait: 0 });
    for (let count = 0; count < limit.burst; count++) bucket.take(START + SECOND);
    expect(bucket.take(START + SECOND).isAdmitted).toBe(false);
    expect(bucket.take(START + SECOND + 100).isAdmitted).toBe(true);
  });
});

describe('the token buckets of several instances', () => {
  it('reject nothing while the token sends less than the rate', () => {
    expect(simulate({ instances: 10, requestsPerSecond: 90, seconds: 120 })).toBe(90 * 120);
  });

  it('each limit their own requests', () => {
    const admitted = simulate({ instances: 2, requestsPerSecond: 2_000, seconds: 60 });
    expect(admitted).toBeGreaterThan(2 * 59 * limit.rate);
    expect(admitted).toBeLessThanOrEqual(2 * (limit.burst + 60 * limit.rate));
  });
});
