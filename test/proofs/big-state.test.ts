import { expect, test } from 'vitest';
import { proveBigState } from '../support/models/states/big-state.ts';

/** A small version of `npm run prove -- big-state`, which uses 50 MB. */
test('a large state is read in a stream, and is downloaded exactly as it was uploaded', async () => {
  const { findings, megabytes, needed } = await proveBigState(12);
  console.log(`Reading a state of ${megabytes.toFixed(1)} MB took ${needed.toFixed(0)} MB of memory`);
  expect(findings).toEqual([]);
});
