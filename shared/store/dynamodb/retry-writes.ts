import { unavailable } from '../../domain/errors.ts';
import { type Clock, wait } from '../../lib/clock.ts';
import { jitter } from '../../lib/random.ts';
import { DEADLINE, Unanswered } from './database.ts';

/** How often a write is planned anew, and how often one without an answer is sent anew. */
const ATTEMPTS = 6;
const BACKOFF = 25;

/**
 * Makes attempts, with jitter between them, until one has a result: undefined asks for another, and so does a write
 * that was not answered. An attempt is told the time and how long its calls may take, both in milliseconds.
 * @throws DomainError `unavailable` when the attempts or the time are used up.
 */
export const persist = async <T>(
  what: string,
  clock: Clock,
  attempt: (now: number, remaining: () => number) => Promise<T | undefined>,
): Promise<T> => {
  const deadline = clock() + DEADLINE;
  let cause: unknown;
  for (let count = 0; count < ATTEMPTS; count++) {
    if (count > 0) await wait(jitter(BACKOFF * 2 ** count));
    const now = clock();
    if (now >= deadline) break;
    try {
      const result = await attempt(now, () => deadline - clock());
      if (result !== undefined) return result;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      cause = error;
    }
  }
  throw unavailable(`The ${what} is busy. Try again shortly.`, cause);
};
