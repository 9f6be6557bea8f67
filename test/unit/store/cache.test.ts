import { expect, it } from 'vitest';
import { createCache } from '../../../shared/store/dynamodb/cache.ts';

it('a cached value is read again at the end of its lifetime, and when the clock was set back', async () => {
  let now = 1_000_000;
  let loads = 0;
  const cache = createCache<number>(5_000, () => now);
  const read = () => cache.get('key', false, async () => ++loads);
  expect(await read()).toBe(1);
  now += 4_999;
  expect(await read()).toBe(1);
  now += 1;
  expect(await read()).toBe(2);
  now -= 60 * 60_000;
  expect(await read()).toBe(3);
});
