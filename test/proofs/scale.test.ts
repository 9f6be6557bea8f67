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

it('an index with at least 8 shards does not throttle writers of one organization below 2,000 changes per second', () => {
  const limit = (shards: number, workspaces: number): number =>
    scale.indexLimits.find((one) => one.shards === shards && one.workspaces === workspaces)?.steady ?? 0;
  expect(limit(8, 20_000)).toBeGreaterThan(2_000);
  expect(limit(16, 20_000)).toBeGreaterThan(7_000);
  expect(limit(16, 200)).toBeGreaterThan(2_000);
  // The largest of four shards has more than a quarter of the workspaces, so the limit is slightly below 2,000.
  expect(limit(4, 20_000)).toBeGreaterThan(1_900);
  expect(limit(4, 20_000)).toBeLessThan(2_000);
  expect(scale.throttling.find(({ shards, rate }) => shards === 4 && rate === 2_000)?.throttled).toBeLessThan(0.01);
  expect(scale.throttling.filter(({ rate }) => rate <= 1_000).every(({ throttled }) => throttled === 0)).toBe(true);
});

it('the burst capacity of a partition lasts nearly five minutes at twice its throughput', () => {
  expect(scale.burstSeconds).toBeGreaterThan(270);
  expect(scale.burstSeconds).toBeLessThanOrEqual(300);
});

it('10,000 requests per second cause no hot partition in 100,000 organizations, nor in one organization with enough shards', () => {
  const crowd = (name: string) => scale.crowds.find((one) => one.name === name);
  expect(crowd('100,000 organizations')).toMatchObject({ throttled: 0 });
  expect(crowd('100,000 organizations')?.busiest).toBeLessThan(0.5);
  expect(crowd('one organization, 32 shards, cache of 250 ms')).toMatchObject({ throttled: 0 });
  expect(crowd('one organization, 32 shards, cache of 250 ms, one token')).toMatchObject({ throttled: 0 });
  // Fewer shards, or lists that read all changes, would not be enough.
  expect(crowd('one organization, 32 shards')?.writesThrottled).toBeGreaterThan(0.1);
  expect(
    crowd('one organization, 32 shards, cache of 250 ms, every list reads the changes')?.listsThrottled,
  ).toBeGreaterThan(0.1);
});

it('1,000 changes per second for a minute lose no entry of the history and throttle no writer of a warm table', () => {
  for (const { name, changes, recorded, changesThrottled, trailUnits } of scale.historyWrites) {
    expect(recorded, name).toBe(changes);
    expect(trailUnits, name).toBeLessThan(500);
    if (name.startsWith('table that has served')) expect([changes, changesThrottled]).toEqual([60_000, 0]);
  }
  // Lambda delivers records again after a failure; the history stays seconds behind.
  for (const { name, failing, repeated, lag } of scale.recordings) {
    expect(repeated > 0, name).toBe(failing > 0);
    expect(lag, name).toBeLessThan(2);
  }
});

it('a list reads at most two index pages of each shard at 500 changes per second, and events follow within a second', () => {
  const pages = scale.listPages.filter(({ changes }) => changes === 500);
  expect(pages.length).toBeGreaterThan(0);
  for (const { shards, most, undivided } of pages) {
    expect(most).toBeLessThanOrEqual(2 * shards);
    expect(undivided).toBeGreaterThan(10 * most);
  }
  const publishing = scale.publishing.find(({ rate, workspaces }) => rate === 500 && workspaces > 1);
  expect(publishing?.lag).toBeLessThan(1);
  // Events of one workspace are sent one by one.
  expect(scale.publishing.find(({ rate, workspaces }) => rate === 100 && workspaces === 1)?.isBehind).toBe(true);
});

it('one workspace accepts 500 locks and unlocks per second', () => {
  const throttledAt = (limit: number) => scale.hotWorkspace.find(({ rate }) => rate === limit)?.throttled;
  expect(throttledAt(500)).toBe(0);
  expect(throttledAt(600)).toBeCloseTo(1 / 6, 10);
});

it('cold instances that load a snapshot read less than 5 % of the index, and do not throttle other lists', () => {
  for (const { instances, from, units, seconds, listsThrottled } of scale.coldLoads) {
    if (from === 'index') continue;
    const fromIndex = scale.coldLoads.find((one) => one.instances === instances && one.from === 'index');
    expect(units).toBeLessThan(0.05 * (fromIndex?.units ?? 0));
    expect([seconds, listsThrottled]).toEqual([1, 0]);
  }
});
