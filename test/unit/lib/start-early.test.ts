import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEarly } from '../../../shared/lib/start-early.ts';

const unhandled: unknown[] = [];
const record = (reason: unknown): void => {
  unhandled.push(reason);
};
const others = process.listeners('unhandledRejection');

beforeEach(() => {
  unhandled.length = 0;
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', record);
});
afterEach(() => {
  process.removeListener('unhandledRejection', record);
  for (const listener of others) process.on('unhandledRejection', listener);
});

test('a rejection of work that is never awaited is not an unhandled rejection', async () => {
  startEarly(Promise.reject(new Error('nobody needs this')));
  await nextTurn();
  expect(unhandled).toEqual([]);
});

test('awaiting the work throws its error', async () => {
  const error = new Error('needed');
  const work = startEarly(Promise.reject(error));
  await nextTurn();
  await expect(work).rejects.toBe(error);
});

test('awaiting the work returns its result', async () => {
  expect(await startEarly(Promise.resolve(7))).toBe(7);
});
