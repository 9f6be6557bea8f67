import { describe, expect, it } from 'vitest';
import { limits, type Part, partitionsOf, type Request, simulate } from '../../bench/partitions.ts';

/** Creates a fixed number of requests per second, each of one write unit unless overridden. */
const each = (count: number, partOf: (index: number) => Partial<Part>) => (): Request[] =>
  Array.from({ length: count }, (_, index) => ({
    name: 'write',
    parts: [{ space: 'table', key: 'k', place: 'end', writeUnits: 1, readUnits: 0, ...partOf(index) }],
  }));

describe('a simulated partition', () => {
  it('throttles exactly the writes to one key above 1,000 write units per second', () => {
    expect(simulate({ seconds: 10, requestsAt: each(1_000, () => ({})) }).throttled).toBe(0);
    expect(simulate({ seconds: 10, requestsAt: each(1_001, () => ({})) }).throttled).toBe(1 / 1_001);
  });

  it('allows 6,000 eventually consistent reads of one item per second', () => {
    const reads = (count: number) => each(count, () => ({ writeUnits: 0, readUnits: 0.5 }));
    expect(simulate({ seconds: 3, requestsAt: reads(6_000) }).throttled).toBe(0);
    expect(simulate({ seconds: 3, requestsAt: reads(10_000) }).throttled).toBe(0.4);
  });

  it('accounts for reads and writes separately', () => {
    const requestsAt = each(1_000, () => ({ readUnits: 3 }));
    expect(simulate({ seconds: 3, requestsAt }).throttled).toBe(0);
  });

  it('exhausts its burst capacity after the computed number of seconds', () => {
    const requestsAt = each(1_500, () => ({}));
    const burst = { seconds: limits.burstSeconds, atStart: limits.burstSeconds };
    // 300,000 units of burst capacity, consumed at 500 units per second.
    expect(simulate({ seconds: 600, requestsAt, burst }).firstRejection).toBeUndefined();
    expect(simulate({ seconds: 602, requestsAt, burst }).firstRejection).toBe(600);
    expect(simulate({ seconds: 2, requestsAt, burst: { ...burst, atStart: 0 } }).firstRejection).toBe(0);
  });

  it('retains unused capacity for at most 5 minutes', () => {
    const idleFor = (idle: number, then: number) => (second: number) => (second < idle ? [] : each(then, () => ({}))());
    const burst = { seconds: limits.burstSeconds, atStart: 0 };
    const granted = (idle: number) =>
      simulate({ seconds: idle + 1, requestsAt: idleFor(idle, 400_000), burst }).byName['write'];
    expect(granted(10)).toEqual({ requested: 400_000, throttled: 400_000 - 11_000 });
    expect(granted(1_000)).toEqual({ requested: 400_000, throttled: 400_000 - 301_000 });
  });
});

describe('a simulated hot partition', () => {
  const alone = { table: 1 };

  it('is split between two keys, which doubles its capacity', () => {
    const requestsAt = each(2_000, (index) => ({ key: `k${index % 2}` }));
    expect(simulate({ seconds: 20, requestsAt, partitions: alone }).throttled).toBe(0.5);
    const split = simulate({ seconds: 20, requestsAt, partitions: alone, heatSeconds: 10 });
    expect(split.throttled).toBe(0.25);
    expect(split.spaces.table.partitions).toBe(2);
  });

  it('is split within an item collection by sort key', () => {
    const requestsAt = each(2_000, (index) => ({ place: index / 2_000 }));
    const split = simulate({ seconds: 40, requestsAt, partitions: alone, heatSeconds: 1, settlingSeconds: 10 });
    expect(split.throttled).toBe(0);
  });

  it.each(['end', 0.5] as const)('is not split when all requests are for one place in a collection (%s)', (place) => {
    const requestsAt = each(2_000, () => ({ place }));
    const split = simulate({ seconds: 20, requestsAt, partitions: alone, heatSeconds: 1 });
    expect(split.throttled).toBe(0.5);
    expect(split.spaces.table).toEqual({ partitions: 1, hottest: { writes: 2, reads: 0, key: 'k' } });
  });

  it('is split until other keys are no longer throttled by the hot key', () => {
    const requestsAt = (second: number): Request[] => [
      ...each(1_500, () => ({ key: 'hot' }))(),
      ...each(500, (index) => ({ key: `k${second}-${index}` }))().map(({ parts }) => ({ name: 'others', parts })),
    ];
    const load = { seconds: 20, requestsAt, partitions: alone, heatSeconds: 1 };
    expect(simulate(load).byName['others']?.throttled).toBeGreaterThan(0);
    const settled = simulate({ ...load, settlingSeconds: 60 });
    expect(settled.byName['others']?.throttled).toBe(0);
    expect(settled.byName['write']).toEqual({ requested: 30_000, throttled: 10_000 });
  });
});

it('throttles writes to the simulated table when its index is throttled', () => {
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

it('starts a simulated on-demand table with four partitions and grows it to twice its peak within half an hour', () => {
  expect(partitionsOf(0, 0, 0)).toBe(4);
  expect(partitionsOf(45 * 2 ** 30, 0, 0)).toBe(5);
  expect(partitionsOf(0, 10_000, 3_000)).toBe(20);
  const requestsAt = each(6_000, (index) => ({ key: `k${index}` }));
  const grown = simulate({ seconds: limits.peakSeconds + 1, requestsAt });
  expect(grown.spaces.table.partitions).toBe(12);
  expect(grown.throttled).toBeGreaterThan(0.3);
});
