/** Limit on the requests of one token (setting `tokenRate`). */
export interface TokenLimit {
  /** Requests per second that a token may send permanently. */
  readonly rate: number;
  /** Requests that it may send at once after a pause. */
  readonly burst: number;
}

/** Requests to add to the shared count of a token. The count of each window begins at 0. */
export interface Share {
  /** Number of the window since the epoch. */
  readonly window: number;
  readonly count: number;
  /** Time at which the requests were taken for the shared count, in epoch milliseconds. */
  readonly at: number;
}

/** Decision about one request. */
export interface Decision {
  readonly isAdmitted: boolean;
  /** Further requests that would be admitted now. */
  readonly remaining: number;
  /** Seconds until the next request is admitted; 0 if one would be now. */
  readonly wait: number;
}

/**
 * Token bucket of one token in one instance. It follows the bucket that all instances share: the shared count tells how much of
 * it is left, and how much the other instances take (docs/decisions/0074).
 */
export interface TokenBucket {
  /** Decides a request, and takes it from the bucket if it is admitted. */
  readonly take: (time: number) => Decision;
  /** Returns what to add to the shared count if the last time was a second ago. The requests count as shared from then on. */
  readonly share: (time: number) => Share | undefined;
  /**
   * Follows the shared count.
   * @param total requests of all instances in the window; undefined if the count failed. The bucket then limits the requests
   * to this instance alone.
   */
  readonly follow: (share: Share, total: number | undefined) => void;
}

/** Length of the windows of the shared count. */
export const WINDOW_SECONDS = 60;
const windowAt = (time: number): number => Math.floor(time / 1_000 / WINDOW_SECONDS);
/** Time between two writes of the shared count by one instance. */
const SHARING_MILLISECONDS = 1_000;

/**
 * Creates the bucket of a token whose first request was admitted.
 * @param start time of that request, in epoch milliseconds.
 */
export const createTokenBucket = ({ rate, burst }: TokenLimit, start: number): TokenBucket => {
  let level = burst - 1;
  /** Time up to which the level is computed. It is in the future while the shared bucket is overdrawn. */
  let at = start;
  /** Part of the rate that this instance may use. */
  let refill = rate;
  let unshared = 1;
  let window = windowAt(start);
  let sharedAt = Number.NEGATIVE_INFINITY;
  let last: (Share & { readonly total: number }) | undefined;

  /** Time of the last request. */
  let latest = start;

  /** Moves all times back if the clock was set back. Otherwise all requests would be rejected until it has caught up. */
  const adjust = (time: number): void => {
    const back = Math.max(0, latest - time);
    at -= back;
    sharedAt -= back;
    latest = time;
  };

  const advance = (time: number): void => {
    if (time <= at) return;
    level = Math.min(burst, level + (refill * (time - at)) / 1_000);
    at = time;
  };

  return {
    take: (time) => {
      adjust(time);
      advance(time);
      const isAdmitted = level >= 1 && time >= at;
      // Requests of an earlier window count no longer.
      if (windowAt(time) !== window) unshared = 0;
      window = windowAt(time);
      if (isAdmitted) {
        level -= 1;
        unshared += 1;
      }
      const wait = level >= 1 ? 0 : Math.max(0, at - time) / 1_000 + (1 - level) / refill;
      return { isAdmitted, remaining: Math.floor(level), wait };
    },

    share: (time) => {
      if (time - sharedAt < SHARING_MILLISECONDS) return undefined;
      const share = { window, count: unshared, at: time };
      sharedAt = time;
      unshared = 0;
      return share;
    },

    follow: (share, total) => {
      if (total === undefined) {
        refill = rate;
        return;
      }
      const { window, count, at: time } = share;
      const elapsed = time / 1_000 - window * WINDOW_SECONDS;
      const previous = last?.window === window ? last : { at: time - 1_000 * Math.max(1, elapsed), total: 0 };
      const seconds = Math.max(1, (time - previous.at) / 1_000);
      const all = Math.max(count, total - previous.total);
      const others = (all - count) / seconds;
      const part = count / all;
      // Others go on as they did. What they leave may be used, and at least the part that this instance had.
      refill = Math.max(part * rate, rate - others);
      const left = Math.min(burst, burst + rate * elapsed - total);
      advance(time);
      level = Math.min(level, Math.max(part * left, left - others));
      if (left < 0) {
        level = 0;
        at = time - (1_000 * left) / rate;
      }
      last = { ...share, total };
    },
  };
};
