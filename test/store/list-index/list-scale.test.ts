import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type Listed, type ListMeasure, measureLists, queries } from '../../support/models/lists/list-scale.ts';

/** `npm run prove` counts the same at 10,000 and 100,000 workspaces. */
const SIZES = [100, 5_000] as const;

let engine: TestEngine;
let small: ListMeasure;
let large: ListMeasure;

beforeAll(async () => {
  engine = await startEngine();
  small = await measureLists(engine, SIZES[0]);
  large = await measureLists(engine, SIZES[1]);
});
afterAll(() => engine.stop());

describe('listing an unchanged organization', () => {
  it.each(queries.map(([who, query], index) => [who, query, index] as const))(
    'costs at most one call and one read unit more at 5,000 workspaces than at 100: as %s, with "%s"',
    (_, __, index) => {
      const [few, many] = [small.warm[index] as Listed, large.warm[index] as Listed];
      expect(few.total).toBeGreaterThanOrEqual(20);
      expect(many.total).toBeGreaterThan(10 * few.total);
      expect(many.rounds).toBe(few.rounds);
      expect(Math.abs(many.calls - few.calls), String(many.operations)).toBeLessThanOrEqual(1);
      expect(Math.abs(many.readUnits - few.readUnits), String(many.operations)).toBeLessThanOrEqual(1);
      expect(many.readUnits).toBeLessThanOrEqual(13.5);
    },
  );
});

describe('the statistics of an unchanged organization', () => {
  it.each(['owner', 'member'] as const)(
    'cost the same at 5,000 workspaces as at 100, and less than a list: as %s',
    (who) => {
      const [few, many] = [small.statistics[who], large.statistics[who]];
      expect(many.total).toBeGreaterThan(10 * few.total);
      expect(many.rounds).toBe(few.rounds);
      expect(many.calls, String(many.operations)).toBeLessThanOrEqual(few.calls + 1);
      expect(Math.abs(many.readUnits - few.readUnits), String(many.operations)).toBeLessThanOrEqual(1);
      const lists = large.warm.filter((_, index) => queries[index]?.[0] === who);
      expect(many.readUnits).toBeLessThanOrEqual(Math.min(...lists.map(({ readUnits }) => readUnits)));
      expect(many.rounds).toBeLessThanOrEqual(Math.max(...lists.map(({ rounds }) => rounds)));
    },
  );
});

describe('the first list of an instance', () => {
  it('reads only the rows of the index', () => {
    // Half a read unit per 4 KB: 5,000 rows of 400 bytes are 250 units. The rest is for concurrent changes and a page.
    expect(large.cold.readUnits).toBeLessThan(300);
    expect(large.cold.rounds).toBeLessThanOrEqual(6);
  });
});
