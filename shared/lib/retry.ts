import { wait } from './clock.ts';
import { jitter } from './random.ts';

/** Result of an attempt that has to be repeated although nothing was thrown. */
export interface TryAgain {
  readonly tryAgain: true;
}
export const tryAgain: TryAgain = { tryAgain: true };

/**
 * Pause before a repetition.
 * @param retries number of the repetition, from 1.
 * @param error what the attempt before it threw; undefined where it returned `tryAgain`.
 * @returns milliseconds; 0 for no pause.
 */
export type Pause = (retries: number, error: unknown) => number;

/** Options of the repetition of work that failed. */
export interface RetryOptions {
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** Pause before each repetition; none by default. */
  readonly pause?: Pause;
  /** Errors after which the work is repeated; every other error is thrown at once. By default, all are thrown. */
  readonly retryOn?: (error: unknown) => boolean;
  /** Deadline: no attempt starts once this returns true. */
  readonly isTimeUp?: () => boolean;
  /**
   * Creates the error that is thrown once the attempts or the time are used up; by default the last error is thrown.
   * @param error what the last attempt threw; undefined if none threw anything.
   */
  readonly exhausted?: (error: unknown) => unknown;
}

/**
 * Exponential backoff with full jitter: a random pause whose upper bound doubles with each repetition.
 * @param first upper bound of the first pause, in milliseconds.
 */
export const backoff =
  (first: number): Pause =>
  (retries) =>
    jitter(first * 2 ** (retries - 1));

const lastError = (error: unknown): unknown => error ?? new Error('All attempts are used up.');

/**
 * Repeats a piece of work until it has a result.
 * @param attempt called with the number of repetitions so far and with the error of the attempt before; returns the
 * result, or `tryAgain`.
 * @returns the result of the first attempt that has one.
 * @throws every error that `retryOn` does not accept, and the error of `exhausted`.
 * @example
 * const page = await retry(() => database.page(query), {
 *   attempts: 4,
 *   pause: backoff(50),
 *   retryOn: isTransientError,
 * });
 */
export const retry = async <T>(
  attempt: (retries: number, error: unknown) => Promise<T | TryAgain>,
  { attempts, pause, retryOn = () => false, isTimeUp = () => false, exhausted = lastError }: RetryOptions,
): Promise<T> => {
  let failure: unknown;
  let previous: unknown;
  for (let retries = 0; retries < attempts; retries++) {
    const milliseconds = retries === 0 ? 0 : (pause?.(retries, previous) ?? 0);
    if (milliseconds > 0) await wait(milliseconds);
    if (isTimeUp()) break;
    try {
      const result = await attempt(retries, previous);
      if (result !== tryAgain) return result as T;
      previous = undefined;
    } catch (error) {
      if (!retryOn(error)) throw error;
      previous = error;
      failure = error;
    }
  }
  throw exhausted(failure);
};
