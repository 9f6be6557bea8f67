import { expect, test } from 'vitest';
import { proveBigState } from '../support/models/big-state.ts';

/** In small; `npm run prove -- big-state` has 50 MB. */
test('a large state is read as it streams by, and comes back as it was sent', async () => {
  const { findings, megabytes, needed } = await proveBigState(12);
  console.log(`A state of ${megabytes.toFixed(1)} MB took ${needed.toFixed(0)} MB to read`);
  expect(findings).toEqual([]);
});
