import { expect, it } from 'vitest';
import { runAll } from '../../../functions/console/app/lib/run-all.ts';

it('work on several elements starts no further element after one has failed', async () => {
  const started: number[] = [];
  const { promise: others, resolve: completeOthers } = Promise.withResolvers<void>();
  const work = async (element: number) => {
    started.push(element);
    if (element === 0) throw new Error('refused');
    await others;
  };
  await expect(runAll([0, 1, 2, 3, 4, 5, 6, 7], work)).rejects.toThrow('refused');
  completeOthers();
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
});
