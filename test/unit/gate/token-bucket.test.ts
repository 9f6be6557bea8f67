import { describe, expect, it } from 'vitest';
import { createTokenBucket, type TokenBucket, type TokenLimit } from '../../../shared/gate/token-bucket.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Begin of a window of the shared count. */
const START = 30_000_000 * MINUTE;
const limit: TokenLimit = { rate: 100, burst: 200 };

interface Traffic {
  readonly instances: number;
  /** Requests per second that the caller sends, evenly spread over time and randomly over the instances. */
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** Time that the write of the shared count takes, in milliseconds. */
  readonly writeMilliseconds?: number;
  readonly isCounted?: boolean;
}

/** Creates a generator of the same numbers in every run. */
const createRandom = () => {
  let state = 42;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Sends traffic of one token to several instances, which share a count as the table keeps it. */
const simulate = ({ instances, requestsPerSecond, seconds, writeMilliseconds = 20, isCounted = true }: Traffic) => {
  const random = createRandom();
  const buckets: (TokenBucket | undefined)[] = Array.from({ length: instances }, () => undefined);
  const busyUntil = Array.from({ length: instances }, () => 0);
  const totals = new Map<number, number>();
  const running: { readonly end: number; readonly run: () => void }[] = [];
  const admitted: number[] = [];
  let writes = 0;
  for (let index = 0; index < requestsPerSecond * seconds; index++) {
    const time = START + Math.floor((index * SECOND) / requestsPerSecond);
    while (running[0] !== undefined && running[0].end <= time) running.shift()?.run();
    const instance = random(instances);
    // An instance handles one request after another, and the response waits for the write.
    if ((busyUntil[instance] ?? 0) > time) continue;
    const bucket = buckets[instance];
    if (bucket === undefined) {
      buckets[instance] = createTokenBucket(limit, time);
      admitted.push(time - START);
      continue;
    }
    if (!bucket.take(time).isAdmitted) continue;
    admitted.push(time - START);
    const share = bucket.share(time);
    if (share === undefined) continue;
    writes += 1;
    const end = time + writeMilliseconds;
    busyUntil[instance] = end;
    const total = (totals.get(share.window) ?? 0) + share.count;
    totals.set(share.window, total);
    running.push({ end, run: () => bucket.follow(share, isCounted ? total : undefined) });
  }
  const perMinute = Map.groupBy(admitted, (time) => Math.floor(time / MINUTE));
  return { admitted: admitted.length, writes, minutes: [...perMinute.values()].map(({ length }) => length) };
};

describe('a token bucket', () => {
  it('admits the burst at once, and then the rate', () => {
    const { admitted } = simulate({ instances: 1, requestsPerSecond: 1_000, seconds: 30 });
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
    bucket.share(START + MINUTE);
    expect(bucket.take(START)).toMatchObject({ isAdmitted: true, wait: 0 });
    expect(bucket.share(START)).toBeUndefined();
    expect(bucket.share(START + SECOND)).toMatchObject({ count: 1 });
    for (let count = 0; count < limit.burst; count++) bucket.take(START + SECOND);
    expect(bucket.take(START + SECOND).isAdmitted).toBe(false);
    expect(bucket.take(START + SECOND + 100).isAdmitted).toBe(true);
  });

  it('shares its requests at most once a second, each of them once', () => {
    const bucket = createTokenBucket(limit, START);
    bucket.take(START);
    expect(bucket.share(START)).toMatchObject({ count: 2 });
    bucket.take(START + 999);
    expect(bucket.share(START + 999)).toBeUndefined();
    expect(bucket.share(START + SECOND)).toMatchObject({ count: 1 });
  });
});

describe('the token buckets of several instances', () => {
  // The bound of docs/decisions/0074: what each instance may do before it knows what the others did.
  const bound = (instances: number): number =>
    limit.burst + 60 * limit.rate + 2 * (instances - 1) * (limit.burst + limit.rate + 1);

  it.each([2, 10, 50])('admit at most the bound in each minute, with %i instances', (instances) => {
    const { minutes, writes } = simulate({ instances, requestsPerSecond: 2_000, seconds: 180 });
    for (const inMinute of minutes) {
      expect(inMinute).toBeGreaterThan(0.9 * 60 * limit.rate);
      expect(inMinute).toBeLessThanOrEqual(bound(instances));
      // Evenly spread traffic stays far below the bound.
      expect(inMinute).toBeLessThanOrEqual(1.1 * (limit.burst + 60 * limit.rate) + instances);
    }
    expect(writes).toBeLessThanOrEqual(instances * 180);
  });

  it('reject nothing while the token sends less than the rate', () => {
    const { admitted } = simulate({ instances: 10, requestsPerSecond: 90, seconds: 120, writeMilliseconds: 0 });
    expect(admitted).toBe(90 * 120);
  });

  it('each limit their own requests while the shared count fails', () => {
    const { admitted } = simulate({ instances: 2, requestsPerSecond: 2_000, seconds: 60, isCounted: false });
    expect(admitted).toBeGreaterThan(2 * 59 * limit.rate);
    expect(admitted).toBeLessThanOrEqual(2 * (limit.burst + 60 * limit.rate));
  });
});
