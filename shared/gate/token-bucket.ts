/** Limit on the requests of one token in one instance (setting `tokenLimit`). */
export interface TokenLimit {
  /** Requests per second that a token may send permanently. */
  readonly rate: number;
  /** Requests that it may send at once after a pause. */
  readonly burst: number;
}

export interface Decision {
  readonly isAdmitted: boolean;
  /** Further requests that would be admitted now. */
  readonly remaining: number;
  /** Seconds until the next request is admitted; 0 if one would be now. */
  readonly wait: number;
}

/** Token bucket of one token, or one address, in one instance (docs/decisions/0083). */
export interface TokenBucket {
  /** Returns the seconds until the next request is admitted; 0 if one would be now. @param time in epoch milliseconds. */
  readonly wait: (time: number) => number;
  /** Decides a request, and takes it from the bucket if it is admitted. @param time in epoch milliseconds. */
  readonly take: (time: number) => Decision;
}

/**
 * Creates a bucket from which one request was taken.
 * @param start time of that request, in epoch milliseconds.
 */
export const createTokenBucket = ({ rate, burst }: TokenLimit, start: number): TokenBucket => {
  let level = burst - 1;
  let latest = start;
  const wait = (time: number): number => {
    // A clock that was set back adds nothing.
    level = Math.min(burst, level + (rate * Math.max(0, time - latest)) / 1_000);
    latest = time;
    return Math.max(0, 1 - level) / rate;
  };
  return {
    wait,
    take: (time) => {
      const isAdmitted = wait(time) === 0;
      if (isAdmitted) level -= 1;
      return { isAdmitted, remaining: Math.floor(level), wait: wait(time) };
    },
  };
};
