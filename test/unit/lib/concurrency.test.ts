import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { wait } from '../../../shared/lib/clock.ts';
import { createSemaphore, mapWithConcurrency } from '../../../shared/lib/concurrency.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that takes some milliseconds and records how much of it is under way at once. */
const measured = () => {
  const events: string[] = [];
  let underWay = 0;
  let most = 0;
  const work = async (milliseconds: number): Promise<number> => {
    events.push(`start ${milliseconds}`);
    most = Math.max(most, ++underWay);
    await wait(milliseconds);
    underWay--;
    events.push(`end ${milliseconds}`);
    return milliseconds * 2;
  };
  return { work, events, most: () => most };
};

describe('mapWithConcurrency', () => {
  test('returns the results in the order of the elements, whichever is done first', async () => {
    const { work } = measured();
    const results = mapWithConcurrency([30, 10, 20], 3, work);
    await vi.runAllTimersAsync();
    expect(await results).toEqual([60, 20, 40]);
  });

  test('has no more than the limit under way at once, and starts the next as soon as one is done', async () => {
    const { work, events, most } = measured();
    const results = mapWithConcurrency([30, 10, 15], 2, work);
    await vi.runAllTimersAsync();
    await results;
    expect(most()).toBe(2);
    expect(events).toEqual(['start 30', 'start 10', 'end 10', 'start 15', 'end 15', 'end 30']);
  });

  test('starts nothing after a failure, and rejects only once nothing is under way', async () => {
    const { work, events } = measured();
    const error = new Error('failed');
    const results = mapWithConcurrency([30, 10, 20], 2, async (milliseconds) => {
      await work(milliseconds);
      if (milliseconds === 10) throw error;
    });
    const outcome = results.catch((thrown: unknown) => {
      events.push('rejected');
      return thrown;
    });
    await vi.runAllTimersAsync();
    expect(await outcome).toBe(error);
    expect(events).toEqual(['start 30', 'start 10', 'end 10', 'end 30', 'rejected']);
  });

  test('rejects with the error of a function that throws before it returns a promise', async () => {
    const error = new Error('thrown at once');
    const results = mapWithConcurrency([1], 2, () => {
      throw error;
    });
    await expect(results).rejects.toBe(error);
  });

  test('returns an empty list for no elements', async () => {
    expect(await mapWithConcurrency([], 4, wait)).toEqual([]);
  });
});

describe('createSemaphore', () => {
  test('runs work that finds no free place in the order in which it came', async () => {
    const { work, events, most } = measured();
    const semaphore = createSemaphore(2);
    const all = Promise.all([30, 10, 20, 5].map((milliseconds) => semaphore(() => work(milliseconds))));
    await vi.runAllTimersAsync();
    expect(await all).toEqual([60, 20, 40, 10]);
    expect(most()).toBe(2);
    expect(events.filter((event) => event.startsWith('start'))).toEqual([
      'start 30',
      'start 10',
      'start 20',
      'start 5',
    ]);
  });

  test('frees the place of work that failed', async () => {
    const mutex = createSemaphore(1);
    const failing = mutex(async () => {
      throw new Error('failed');
    });
    const next = mutex(async () => 'next');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
