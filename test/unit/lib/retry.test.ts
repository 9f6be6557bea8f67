import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backoff, retry, tryAgain } from '../../../shared/lib/retry.ts';

class Busy extends Error {}

const isBusy = (error: unknown): boolean => error instanceof Busy;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The result or the error of some work, once all timers have run. */
const settled = async <T>(work: Promise<T>): Promise<T | unknown> => {
  const outcome = work.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return outcome;
};

describe('retry', () => {
  test('returns the result of the first attempt without a pause', async () => {
    const pause = vi.fn(() => 10);
    expect(await retry(async () => 'done', { attempts: 3, pause })).toBe('done');
    expect(pause).not.toHaveBeenCalled();
  });

  test('repeats after an accepted error, and passes that error to the next attempt', async () => {
    const error = new Busy();
    const attempt = vi.fn(async (retries: number, _: unknown) => {
      if (retries < 2) throw error;
      return retries;
    });
    expect(await settled(retry(attempt, { attempts: 3, retryOn: isBusy }))).toBe(2);
    expect(attempt.mock.calls).toEqual([
      [0, undefined],
      [1, error],
      [2, error],
    ]);
  });

  test('throws an error that is not accepted at once', async () => {
    const error = new TypeError('a bug');
    const attempt = vi.fn(async () => {
      throw error;
    });
    expect(await settled(retry(attempt, { attempts: 3, retryOn: isBusy }))).toBe(error);
    expect(attempt).toHaveBeenCalledOnce();
  });

  test('repeats an attempt that returns tryAgain, but not one that returns undefined', async () => {
    const results = [tryAgain, undefined] as const;
    const attempt = vi.fn(async (retries: number) => results[retries]);
    expect(await settled(retry(attempt, { attempts: 5 }))).toBeUndefined();
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  test('throws the last error once the attempts are used up', async () => {
    const errors = [new Busy('first'), new Busy('second')];
    const attempt = async (retries: number) => {
      throw errors[retries];
    };
    expect(await settled(retry(attempt, { attempts: 2, retryOn: isBusy }))).toBe(errors[1]);
  });

  test('throws an error once the attempts are used up, even if no attempt threw one', async () => {
    expect(await settled(retry(async () => tryAgain, { attempts: 2 }))).toBeInstanceOf(Error);
  });

  test('throws the error that `exhausted` creates from the last one', async () => {
    const error = new Busy();
    const attempt = async (retries: number) => {
      if (retries === 0) throw error;
      return tryAgain;
    };
    const givenUp = new Error('given up');
    const exhausted = vi.fn(() => givenUp);
    await expect(retry<string>(attempt, { attempts: 2, retryOn: isBusy, exhausted })).rejects.toBe(givenUp);
    expect(exhausted).toHaveBeenCalledExactlyOnceWith(error);
  });

  test('starts no attempt after the deadline', async () => {
    const attempt = vi.fn(async () => tryAgain);
    const deadline = Date.now() + 25;
    const options = { attempts: 10, pause: () => 10, isTimeUp: () => Date.now() >= deadline };
    await settled(retry<never>(attempt, options));
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  test('pauses before each repetition, for as long as the error requires', async () => {
    const startedAt = Date.now();
    const times: number[] = [];
    const attempt = async (retries: number) => {
      times.push(Date.now() - startedAt);
      if (retries === 0) throw new Busy();
      return tryAgain;
    };
    const pause = (retries: number, error: unknown) => (isBusy(error) ? 100 * retries : 0);
    await settled(retry<never>(attempt, { attempts: 3, pause, retryOn: isBusy }));
    expect(times).toEqual([0, 100, 100]);
  });
});

describe('backoff', () => {
  test('draws a pause whose upper bound doubles with each repetition', () => {
    const pause = backoff(50);
    expect([1, 2, 3].map((retries) => pause(retries, undefined))).toEqual([25, 50, 100]);
  });
});
