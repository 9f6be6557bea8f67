import { now } from '../../../../shared/lib/clock.ts';
import type { Io } from '../../io.ts';

/** Time for which a server that does not say it is left alone after a response with the status 429, in seconds. */
const DEFAULT_PAUSE = 1;
/** Longest time without requests, in seconds. After it, the server is asked again. */
const LONGEST_PAUSE = 30;
/** A window of one second may contain no more requests than the limit, also where the network delays some of them a little. */
const WINDOW = 1_050;
/** Share of the limit of a server that is used. The rest is for people. */
const SHARE = 0.8;

const readNumber = (headers: Headers, name: string): number => {
  const text = headers.get(name);
  return text === null ? Number.NaN : Number(text);
};

/**
 * Limits the requests to a server. They go out one after the other in equal distances. After a response with the status 429 none is sent
 * as long as the server says, and the rate stays below the limit that it names.
 * @param origin scheme and host of the server. Requests to others are not limited.
 * @param rate largest number of requests in any second.
 */
export const limitRate = ({ fetch, wait, signal }: Io, origin: string, rate: number): typeof fetch => {
  let distance = WINDOW / rate;
  /** Time from which the next request may be sent. */
  let free = 0;
  let turns: Promise<unknown> = Promise.resolve();

  const waitForTurn = async (): Promise<void> => {
    const rest = free - now();
    if (rest > 0) await wait(rest, signal);
    free = Math.max(free, now()) + distance;
  };
  const slowDown = (headers: Headers): void => {
    const seconds = [readNumber(headers, 'retry-after'), readNumber(headers, 'x-ratelimit-reset'), DEFAULT_PAUSE];
    const pause = Math.min(seconds.find((value) => value >= 0) ?? DEFAULT_PAUSE, LONGEST_PAUSE);
    free = Math.max(free, now() + pause * 1_000);
    const limit = readNumber(headers, 'x-ratelimit-limit');
    if (limit >= 1) distance = Math.max(distance, WINDOW / (limit * SHARE));
  };

  return async (input, init) => {
    if (new URL(String(input)).origin !== origin) return fetch(input, init);
    const turn = turns.then(waitForTurn);
    turns = turn.catch(() => undefined);
    await turn;
    const response = await fetch(input, init);
    if (response.status === 429) slowDown(response.headers);
    return response;
  };
};
