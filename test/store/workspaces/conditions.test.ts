import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  absent,
  all,
  any,
  applyChange,
  below,
  type Change,
  type Condition,
  differs,
  equals,
  exists,
  type Image,
  satisfies,
} from '../../../shared/domain/changes/conditions.ts';
import { ConditionFailed } from '../../../shared/store/dynamodb/errors.ts';
import { type Attributes, render } from '../../../shared/store/dynamodb/expressions.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/**
 * The model tests of transitions run in memory and evaluate conditions and changes with `satisfies` and `applyChange`.
 * These tests compare both functions with a real engine and the expressions that the store sends.
 */

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** Most names are reserved words or function names in DynamoDB expressions. */
const words = ['name', 'lock', 'size', 'status', 'value', 'a', 'gone-by', 'order', 'set'];
const word = fc.constantFrom(...words);
type Scalar = string | number | boolean | null;
const scalar = fc.constantFrom<Scalar[]>(null, true, false, 0, 1, -2, 7, '', '1', 'a');

/** Integers only: DynamoDB adds fractions in decimal and JavaScript in binary, and no transition adds fractions. */
const { tree } = fc.letrec<{ tree: unknown; map: Image }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, scalar, scalar, fc.array(scalar, { maxLength: 2 }), tie('map')),
  map: fc.dictionary(word, tie('tree'), { maxKeys: 4 }) as fc.Arbitrary<Image>,
}));
const image = fc.dictionary(word, tree, { maxKeys: 6 });
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'));

const isMap = (value: unknown): value is Image => typeof value === 'object' && value !== null && !Array.isArray(value);

/** All paths of an image: maps and their attributes. */
const pathsOf = (of: Image, prefix = ''): string[] =>
  Object.entries(of).flatMap(([key, value]) => [
    prefix + key,
    ...(isMap(value) ? pathsOf(value, `${prefix}${key}.`) : []),
  ]);

const at = (of: Image, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), of);

/** Paths and values of which about half exist in the image. */
const conditionOn = (of: Image): fc.Arbitrary<Condition> => {
  const known = pathsOf(of);
  const anyPath = known.length > 0 ? fc.oneof(path, fc.constantFrom(...known)) : path;
  const pair = anyPath.chain((chosen): fc.Arbitrary<readonly [string, Scalar]> => {
    const there = at(of, chosen);
    const isScalar = there === null || ['string', 'number', 'boolean'].includes(typeof there);
    return fc.tuple(fc.constant(chosen), isScalar ? fc.oneof(scalar, fc.constant(there as Scalar)) : scalar);
  });
  const leaf = fc.oneof(
    anyPath.map(exists),
    anyPath.map(absent),
    pair.map(([chosen, value]) => equals(chosen, value)),
    pair.map(([chosen, value]) => differs(chosen, value)),
    fc.tuple(anyPath, fc.integer({ min: -3, max: 9 })).map(([chosen, value]) => below(chosen, value)),
  );
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((of) => all(...of)),
      fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((of) => any(...of)),
    ),
  }));
  return condition;
};

const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** Changes that DynamoDB accepts: paths that do not overlap, in existing maps, additions to existing numbers, and counters of the item. */
const changeOf = (of: Image): fc.Arbitrary<Change> => {
  const maps = ['', ...pathsOf(of).filter((known) => isMap(at(of, known)))];
  const place = fc.tuple(fc.constantFrom(...maps), word).map(([map, key]) => (map === '' ? key : `${map}.${key}`));
  const entry = fc.tuple(
    place,
    fc.constantFrom('set', 'add', 'count', 'remove'),
    tree,
    fc.integer({ min: -5, max: 5 }),
  );
  return fc.array(entry, { maxLength: 4 }).map((entries) => {
    const change = {
      set: {} as Record<string, unknown>,
      add: {} as Record<string, number>,
      count: [] as string[],
      remove: [] as string[],
    };
    const taken: string[] = [];
    for (const [path, kind, value, by] of entries) {
      if (taken.some((other) => overlap(other, path))) continue;
      if (kind === 'add' && typeof at(of, path) !== 'number') continue;
      const isCounter = !path.includes('.') && ['number', 'undefined'].includes(typeof at(of, path));
      if (kind === 'count' && !isCounter) continue;
      taken.push(path);
      if (kind === 'set') change.set[path] = value;
      else if (kind === 'add') change.add[path] = by;
      else if (kind === 'count') change.count.push(path);
      else change.remove.push(path);
    }
    return change;
  });
};

const trial = image.chain((of) =>
  fc.record({ image: fc.constant(of), condition: conditionOn(of), change: changeOf(of) }),
);

let serial = 0;

/** Applies the change on the engine. Returns undefined if the condition does not hold. */
const onEngine = async (
  { image, condition, change }: { image: Image | undefined; condition: Condition; change: Change },
  attributes?: Attributes,
): Promise<Image | undefined> => {
  const { database } = engine;
  serial += 1;
  const key = { pk: `TRIAL#${serial}`, sk: 'T' };
  if (image !== undefined) await database.write({ kind: 'put', key, item: { ...image, ...key } });
  try {
    const item = await database.write({ kind: 'update', key, ...render({ condition, change }, attributes) });
    const { pk: _, sk: __, ...rest } = item ?? {};
    return rest;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const { pk: _, sk: __, ...before } = error.image ?? {};
    expect(before).toEqual(image ?? {});
    return undefined;
  }
};

const inMemory = ({ image, condition, change }: { image: Image; condition: Condition; change: Change }) =>
  satisfies(condition, image) ? applyChange(change, image) : undefined;

describe('conditions and changes', () => {
  it('have the same result in memory and on the engine for any image, condition and change', async () => {
    let held = 0;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        const result = await onEngine(given);
        expect(result).toEqual(inMemory(given));
        runs += 1;
        if (result !== undefined) held += 1;
      }),
      bounded(300),
    );
    console.log(`${runs} trials, in ${held} of which the condition held`);
    // The trials must cover both results often enough.
    expect(held / runs).toBeGreaterThan(0.2);
    expect(held / runs).toBeLessThan(0.8);
  });

  it('have the same result in memory and on the engine when the item does not exist', async () => {
    await fc.assert(
      fc.asyncProperty(conditionOn({}), async (condition) => {
        const change: Change = { set: { name: 'made' } };
        const made = await onEngine({ image: undefined, condition, change });
        expect(made).toEqual(satisfies(condition, undefined) ? { name: 'made' } : undefined);
      }),
      bounded(60),
    );
  });

  it('have the same result in memory and on the engine for attributes that are stored encoded, under another name', async () => {
    const stored = new Map([
      ['name', 'n'],
      ['lock', 'held'],
      ['a', 'stamp'],
    ]);
    const attributes: Attributes = {
      names: stored,
      encode: (path, value) =>
        path === 'order' && typeof value === 'number' ? String(value + 10).padStart(4, '0') : value,
    };
    const encoded = (of: Image): Image =>
      Object.fromEntries(
        Object.entries(of).map(([key, value]) => [stored.get(key) ?? key, attributes.encode?.(key, value) ?? value]),
      );
    await fc.assert(
      fc.asyncProperty(trial, async (given) => {
        // Encoded values are texts, so adding to one and counting with one have no meaning.
        fc.pre(typeof given.image['order'] !== 'string');
        const { order: _, ...add } = given.change.add ?? {};
        const count = (given.change.count ?? []).filter((name) => name !== 'order');
        const meant = { ...given, change: { ...given.change, add, count } };
        const result = await onEngine({ ...meant, image: encoded(given.image) }, attributes);
        const expected = inMemory(meant);
        expect(result).toEqual(expected && encoded(expected));
      }),
      bounded(80),
    );
  });

  const nothings = [all(), all(all(), exists('name')), any(all(), absent('name')), any(), all(any())];
  it.each(nothings.map((condition) => [JSON.stringify(condition), condition] as const))(
    'have the same result in memory and on the engine when a part of the condition is empty: %s',
    async (_, condition) => {
      const given = { image: { name: 'there' }, condition, change: { set: { size: 1 } } };
      expect(await onEngine(given)).toEqual(inMemory(given));
    },
  );

  it.each([
    ['constructor', {}],
    ['lock.constructor', { lock: {} }],
    ['lock.toString', { lock: {} }],
    ['lock.length', { lock: [1] }],
    ['lock.0', { lock: [1] }],
    ['lock.length', { lock: 'text' }],
  ])(
    'have the same result in memory and on the engine for the inherited property %s, which is not an attribute of %j',
    async (path, image) => {
      const given = { image, condition: exists(path), change: { set: { name: 'x' } } };
      expect(await onEngine(given)).toBeUndefined();
      expect(inMemory(given)).toBeUndefined();
    },
  );
});
