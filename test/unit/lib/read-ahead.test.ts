import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readAhead, sendInTurn } from '../../../shared/lib/read-ahead.ts';

/** Starts two rounds of two reads each, and notes which reads are sent. */
const startReads = () => {
  const sent: string[] = [];
  const read = (name: string) =>
    sendInTurn(async () => {
      sent.push(name);
      await nextTurn();
      return name;
    });
  const reads = async () => [
    ...(await Promise.all([read('one'), read('two')])),
    ...(await Promise.all([read('three'), read('four')])),
  ];
  return { sent, reads };
};

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
};

test('reads ahead send one round until they are allowed', async () => {
  const { sent, reads } = startReads();
  const { results, allow } = readAhead(reads);
  await settle();
  expect(sent).toEqual(['one', 'two']);
  allow();
  expect(await results).toEqual(['one', 'two', 'three', 'four']);
});

test('reads ahead that are allowed at once send all rounds', async () => {
  const { reads } = startReads();
  const { results, allow } = readAhead(reads);
  allow();
  expect(await results).toEqual(['one', 'two', 'three', 'four']);
});

test('reads that are not sent ahead do not wait', async () => {
  expect(await startReads().reads()).toEqual(['one', 'two', 'three', 'four']);
});

test('reads ahead that fail and are never awaited are no unhandled rejection', async () => {
  const { results } = readAhead(() => sendInTurn(() => Promise.reject(new Error('not found'))));
  await settle();
  await expect(results).rejects.toThrow('not found');
});
