/** Moment at which a process ends: before a request is sent, or after it was executed and before its response arrives. */
export type Moment = 'before' | 'lost';

/** End of a process in the middle of its work. */
export interface Crash {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  /** Number of writes so far. */
  readonly writes: () => number;
  /** Whether the process has ended. */
  readonly hasHappened: () => boolean;
  /** Waits until the service has ended all requests that it had received. */
  readonly settle: () => Promise<void>;
}

/**
 * Ends a process with a write: nothing is sent after it, and no response arrives, also not to other requests under way.
 * @param number number of the write, from 1. Infinity: it does not end.
 */
export const createCrash = (send: typeof fetch, number: number, moment: Moment): Crash => {
  const end = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  let writes = 0;
  const stop = (): never => {
    end.abort(new DOMException('The process has ended.', 'AbortError'));
    throw end.signal.reason;
  };
  return {
    signal: end.signal,
    writes: () => writes,
    hasHappened: () => end.signal.aborted,
    settle: async () => {
      await Promise.allSettled([...underWay]);
    },
    fetch: async (input, init) => {
      end.signal.throwIfAborted();
      const isWrite = (init?.method ?? 'GET') !== 'GET';
      if (isWrite) writes += 1;
      const isLast = isWrite && writes === number;
      if (isLast && moment === 'before') stop();
      const { signal: _, ...others } = init ?? {};
      const request = send(input, others);
      underWay.add(request);
      const response = await request.finally(() => underWay.delete(request));
      if (isLast) stop();
      end.signal.throwIfAborted();
      return response;
    },
  };
};
