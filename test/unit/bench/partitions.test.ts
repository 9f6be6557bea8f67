import { describe, expect, it } from 'vitest';
import { limits, type Part, partitionsOf, type Request, simulate } from '../../bench/partitions.ts';

/** So many requests each second, of one unit each unless it is said otherwise. */
const each = (count: number, partOf: (index: number) => Partial<Part>) => (): Request[] =>
  Array.from({ length: count }, (_, index) => ({
    name: 'write',
    parts: [{ space: 'table', key: 'k', place: 'end', writeUnits: 1, readUnits: 0, ...partOf(index) }],
  }));

describe('a partition', () => {
  it('refuses what one key asks for above 1,000 write units a second, and no more', () => {
    expect(simulate({ seconds: 10, requestsAt: each(1_000, () => ({})) }).throttled).toBe(0);
    expect(simulate({ seconds: 10, requestsAt: each(1_001, () => ({})) }).throttled).toBe(1 / 1_001);
  });

  it('gives 6,000 eventual reads of one item a second', () => {
    const reads = (count: number) => each(count, () => ({ writeUnits: 0, readUnits: 0.5 }));
    expect(simulate({ seconds: 3, requestsAt: reads(6_000) }).throttled).toBe(0);
    expect(simulate({ seconds: 3, requestsAt: reads(10_000) }).throttled).toBe(0.4);
  });

  it('takes reads and writes side by side', () => {
    const requestsAt = each(1_000, () => ({ readUnits: 3 }));
    expect(simulate({ seconds: 3, requestsAt }).throttled).toBe(0);
  });

  it('uses up what it has kept for a burst after the time that can be computed', () => {
    const requestsAt = each(1_500, () => ({}));
    const burst = { seconds: limits.burstSeconds, atStart: limits.burstSeconds };
    // 300,000 units kept, 500 more asked for than come in each second.
    expect(simulate({ seconds: 600, requestsAt, burst }).firstRefusal).toBeUndefined();
    expect(simulate({ seconds: 602, requestsAt, burst }).firstRefusal).toBe(600);
    expect(simulate({ seconds: 2, requestsAt, burst: { ...burst, atStart: 0 } }).firstRefusal).toBe(0);
  });

  it('keeps what it did not use for 5 minutes, and not for longer', () => {
    const idleFor = (idle: number, then: number) => (second: number) => (second < idle ? [] : each(then, () => ({}))());
    const burst = { seconds: limits.burstSeconds, atStart: 0 };
    const granted = (idle: number) =>
      simulate({ seconds: idle + 1, requestsAt: idleFor(idle, 400_000), burst }).byName['write'];
    expect(granted(10)).toEqual({ asked: 400_000, throttled: 400_000 - 11_000 });
    expect(granted(1_000)).toEqual({ asked: 400_000, throttled: 400_000 - 301_000 });
  });
});

describe('a hot partition', () => {
  const alone = { table: 1 };

  it('is split where it has several keys, and so takes twice as much', () => {
    const requestsAt = each(2_000, (index) => ({ key: `k${index % 2}` }));
    expect(simulate({ seconds: 20, requestsAt, partitions: alone }).throttled).toBe(0.5);
    const split = simulate({ seconds: 20, requestsAt, partitions: alone, heatSeconds: 10 });
    expect(split.throttled).toBe(0.25);
    expect(split.spaces.table.partitions).toBe(2);
  });

  it('is split within an item collection, by sort key', () => {
    const requestsAt = each(2_000, (index) => ({ place: index / 2_000 }));
    const split = simulate({ seconds: 40, requestsAt, partitions: alone, heatSeconds: 1, settlingSeconds: 10 });
    expect(split.throttled).toBe(0);
  });

  it.each(['end', 0.5] as const)('is not split where all is for one place of a collection: %s', (place) => {
    const requestsAt = each(2_000, () => ({ place }));
    const split = simulate({ seconds: 20, requestsAt, partitions: alone, heatSeconds: 1 });
    expect(split.throttled).toBe(0.5);
    expect(split.spaces.table).toEqual({ partitions: 1, hottest: { writes: 2, reads: 0, key: 'k' } });
  });

  it('has the one key that is too hot to itself before long, and the others do not suffer from it', () => {
    const requestsAt = (second: number): Request[] => [
      ...each(1_500, () => ({ key: 'hot' }))(),
      ...each(500, (index) => ({ key: `k${second}-${index}` }))().map(({ parts }) => ({ name: 'others', parts })),
    ];
    const load = { seconds: 20, requestsAt, partitions: alone, heatSeconds: 1 };
    expect(simulate(load).byName['others']?.throttled).toBeGreaterThan(0);
    const settled = simulate({ ...load, settlingSeconds: 60 });
    expect(settled.byName['others']?.throttled).toBe(0);
    expect(settled.byName['write']).toEqual({ asked: 30_000, throttled: 10_000 });
  });
});

it('a throttled index refuses the writers of the table', () => {
  const requestsAt = (): Request[] =>
    Array.from({ length: 2_000 }, (_, index) => ({
      name: 'write',
      parts: [
        { space: 'table', key: `w${index}`, place: 'end', writeUnits: 1, readUnits: 0 },
        { space: 'list', key: 'shard', place: 'end', writeUnits: 1, readUnits: 0 },
      ],
    }));
  const { throttled, spaces } = simulate({ seconds: 5, requestsAt, partitions: { table: 100 } });
  expect(throttled).toBe(0.5);
  expect(spaces.list.hottest).toEqual({ writes: 2, reads: 0, key: 'shard' });
});

it('a table on demand begins with four partitions, and grows to twice its peak within half an hour', () => {
  expect(partitionsOf(0, 0, 0)).toBe(4);
  expect(partitionsOf(45 * 2 ** 30, 0, 0)).toBe(5);
  expect(partitionsOf(0, 10_000, 3_000)).toBe(20);
  const requestsAt = each(6_000, (index) => ({ key: `k${index}` }));
  const grown = simulate({ seconds: limits.peakSeconds + 1, requestsAt });
  expect(grown.spaces.table.partitions).toBe(12);
  expect(grown.throttled).toBeGreaterThan(0.3);
});
