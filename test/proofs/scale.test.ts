import { beforeAll, expect, it } from 'vitest';
import { measureScale, type Scale } from '../bench/scale.ts';
import { scaleTables } from '../bench/scale-report.ts';
import { withGenerated } from '../support/docs/generated-tables.ts';
import { readScalePage } from '../support/docs/scale-page.ts';

let scale: Scale;
beforeAll(() => {
  scale = measureScale();
});

it('docs/operate/scale.md matches the simulation (npm run generate)', () => {
  expect(readScalePage()).toBe(withGenerated(readScalePage(), scaleTables(scale)));
  expect(() => withGenerated(readScalePage(), { absent: [] })).toThrow('no place');
});

it('writers of one organization are not throttled by its index below 2,000 listed changes a second, from 8 shards on', () => {
  const limit = (shards: number, of: number): number =>
    scale.indexLimits.find((one) => one.shards === shards && one.workspaces === of)?.steady ?? 0;
  expect(limit(8, 20_000)).toBeGreaterThan(2_000);
  expect(limit(16, 20_000)).toBeGreaterThan(7_000);
  expect(limit(16, 200)).toBeGreaterThan(2_000);
  // The fullest of four has more than a quarter of the workspaces, so they come near, and no further.
  expect(limit(4, 20_000)).toBeGreaterThan(1_900);
  expect(limit(4, 20_000)).toBeLessThan(2_000);
  expect(scale.throttling.find(({ shards, rate }) => shards === 4 && rate === 2_000)?.throttled).toBeLessThan(0.01);
  expect(scale.throttling.filter(({ rate }) => rate <= 1_000).every(({ throttled }) => throttled === 0)).toBe(true);
});

it('what was kept for a burst takes twice that for nearly five minutes', () => {
  expect(scale.burstSeconds).toBeGreaterThan(270);
  expect(scale.burstSeconds).toBeLessThanOrEqual(300);
});

it('10,000 requests a second have no hot partition in 100,000 organizations, nor in one that is spread', () => {
  const crowd = (name: string) => scale.crowds.find((one) => one.name === name);
  expect(crowd('100,000 organizations')).toMatchObject({ throttled: 0 });
  expect(crowd('100,000 organizations')?.busiest).toBeLessThan(0.5);
  expect(crowd('the same, cached for 250 ms')).toMatchObject({ throttled: 0 });
  expect(crowd('the same, all with one token')).toMatchObject({ throttled: 0 });
  // What the product does about it is what it takes.
  expect(crowd('one organization, 16 shards')?.writesThrottled).toBeGreaterThan(0.1);
  expect(crowd('if every list read the changes')?.listsThrottled).toBeGreaterThan(0.25);
});

it('a workspace takes 500 locks and unlocks a second', () => {
  const refusedAt = (at: number) => scale.hotWorkspace.find(({ rate }) => rate === at)?.throttled;
  expect(refusedAt(500)).toBe(0);
  expect(refusedAt(600)).toBeCloseTo(1 / 6, 10);
});

it('from a snapshot cold instances ask the index for a fraction, and take nothing from the lists of others', () => {
  for (const { instances, from, units, seconds, listsThrottled } of scale.coldLoads) {
    if (from === 'index') continue;
    const fromIndex = scale.coldLoads.find((one) => one.instances === instances && one.from === 'index');
    expect(units).toBeLessThan(0.05 * (fromIndex?.units ?? 0));
    expect([seconds, listsThrottled]).toEqual([1, 0]);
  }
});
