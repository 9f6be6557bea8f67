import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { backoff, retry, type TryAgain } from '../../lib/retry.ts';
import { DEADLINE } from './client.ts';
import type { Database } from './database.ts';
import { NoResponse } from './errors.ts';
import type { Item } from './keys.ts';
import type { Write } from './requests.ts';

/** Maximum number of attempts of a write, including those to which DynamoDB did not respond. */
const ATTEMPTS = 6;
const FIRST_PAUSE = 50;

/**
 * Repeats a planned write, with jitter in between, while it returns `tryAgain` or DynamoDB does not respond.
 * @param what noun for the written item, used in the error detail.
 * @param attempt called with the time and with the time that its calls may still take, both in milliseconds.
 * @throws DomainError `unavailable` when the attempts or the time are used up.
 */
export const persist = <T>(
  what: string,
  clock: Clock,
  attempt: (now: number, remaining: () => number) => Promise<T | TryAgain>,
): Promise<T> => {
  const deadline = clock() + DEADLINE;
  return retry<T>(() => attempt(clock(), () => deadline - clock()), {
    attempts: ATTEMPTS,
    pause: backoff(FIRST_PAUSE),
    retryOn: (error) => error instanceof NoResponse,
    isTimeUp: () => clock() >= deadline,
    exhausted: (error) => unavailable(`The ${what} is busy. Try again shortly.`, error),
  });
};

/** Dependencies of writes that are repeated. */
export interface Table {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Sends one write, again while DynamoDB does not respond.
 * @param what noun for the written item, used in the error detail.
 * @throws ConditionFailed; DomainError `unavailable` when the attempts or the time are used up.
 */
export const persistWrite = (what: string, { database, clock }: Table, write: Write): Promise<Item | undefined> =>
  persist(what, clock, (_, remaining) => database.write(write, remaining()));

/** Sends writes in one transaction; one write alone, which costs half the units. @returns the item after an update alone. */
export const sendWrites = async (
  database: Database,
  writes: readonly Write[],
  remaining: number,
): Promise<Item | undefined> => {
  const [only] = writes;
  if (writes.length === 1 && only !== undefined && only.kind !== 'check') return database.write(only, remaining);
  await database.transact(writes, remaining);
  return undefined;
};
