import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { absent, all, below, type Change, type Condition, equals } from '../../../shared/domain/changes/conditions.ts';
import { DomainError } from '../../../shared/domain/errors.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { ConditionFailed } from '../../../shared/store/dynamodb/errors.ts';
import { render } from '../../../shared/store/dynamodb/expressions.ts';
import type { ItemSchemas, Migration } from '../../../shared/store/dynamodb/item-schemas.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import type { Write } from '../../../shared/store/dynamodb/requests.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Two adjacent releases over one table, as they run side by side during an upgrade. */

/** Version 2 holds in a map `lock` what version 1 holds in the attributes `holder` and `reason`. */
const migration: Migration = {
  up: ({ holder, reason, ...item }) => ({ ...item, ...(holder !== undefined && { lock: { holder, reason } }) }),
  down: ({ lock, ...item }) => ({ ...item, ...(lock as object | undefined) }),
};
const release = (version: number, migrations: readonly Migration[]): ItemSchemas => ({
  door: { version, migrations },
});

let engine: TestEngine;
/** The release that reads version 2 already, and writes version 1. */
let first: Database;
/** The release that writes version 2. */
let second: Database;
/** The release before both, which knows version 1 alone. */
let unaware: Database;
let doors = 0;
let key: { readonly pk: string; readonly sk: string };

beforeAll(async () => {
  engine = await startEngine();
  first = engine.open({ schemas: release(1, [migration]) });
  second = engine.open({ schemas: release(2, [migration]) });
  unaware = engine.open({ schemas: release(1, []) });
});
afterAll(() => engine.stop());
beforeEach(() => {
  key = { pk: `DOOR#${++doors}`, sk: 'D' };
});

const put = async (attributes: Item, at = key): Promise<void> => {
  await engine.database.write({ kind: 'put', key: at, item: { ...at, ty: 'door', opened: 0, ...attributes } });
};
const stored = async (at = key): Promise<Item | undefined> => engine.database.get(at, true);
const update = (condition: Condition, change: Change, at = key): Write => ({
  kind: 'update',
  key: at,
  ...render({ condition, change }),
});
const unavailable = expect.objectContaining({ code: 'unavailable' });

describe('reading an item of another version', () => {
  it('returns it in the version of the release, from every kind of read', async () => {
    await put({ v: 1, holder: 'ada', reason: '' });
    const expected = { ...key, ty: 'door', opened: 0, v: 2, lock: { holder: 'ada', reason: '' } };
    expect(await second.get(key, true)).toEqual(expected);
    expect(await second.getAll([key], true)).toEqual([expected]);
    expect(await second.query({ partition: key.pk })).toEqual([expected]);
    expect((await second.page({ partition: key.pk })).items).toEqual([expected]);
    expect(await stored()).toMatchObject({ v: 1 });
  });

  it('returns what the next release wrote to the release before it', async () => {
    await put({ v: 2, lock: { holder: 'ada', reason: 'r' } });
    expect(await first.get(key, true)).toEqual({ ...key, ty: 'door', opened: 0, v: 1, holder: 'ada', reason: 'r' });
  });
});

describe('a conditional write on an item of the previous version', () => {
  it('is applied where its condition and change concern other attributes, and converts the item', async () => {
    await put({ v: 1, holder: 'ada', reason: '' });
    expect(await second.write(update(equals('opened', 0), { add: { opened: 1 } }))).toMatchObject({ opened: 1, v: 2 });
    expect(await stored()).toEqual({ ...key, ty: 'door', v: 2, opened: 1, lock: { holder: 'ada', reason: '' } });
  });

  it('is applied where its condition names a migrated attribute', async () => {
    await put({ v: 1, holder: 'ada', reason: '' });
    await second.write(update(equals('lock.holder', 'ada'), { remove: ['lock'] }));
    expect(await stored()).toEqual({ ...key, ty: 'door', v: 2, opened: 0 });
  });

  it('is applied without a condition, and removes no more than it says', async () => {
    await put({ v: 1, holder: 'ada', reason: '' });
    await second.write({ kind: 'update', key, ...render({ change: { remove: ['lock'] } }) });
    expect(await stored()).toEqual({ ...key, ty: 'door', v: 2, opened: 0 });
  });

  it('reports a failed condition with the item converted to the version of the release', async () => {
    await put({ v: 1, holder: 'ada', reason: '' });
    const rejected = await second.write(update(absent('lock'), { set: { lock: {} } })).catch((error) => error);
    expect(rejected).toBeInstanceOf(ConditionFailed);
    expect((rejected as ConditionFailed).image).toMatchObject({ v: 2, lock: { holder: 'ada', reason: '' } });
  });

  it('is applied in a transaction over several items of the previous version', async () => {
    const other = { pk: `${key.pk}-other`, sk: 'D' };
    await put({ v: 1, holder: 'ada', reason: '' });
    await put({ v: 1, holder: 'ada', reason: '' }, other);
    await second.transact([
      update(equals('lock.holder', 'ada'), { remove: ['lock'] }),
      { kind: 'check', key: other, ...render({ condition: equals('lock.holder', 'ada') }) },
    ]);
    expect(await stored()).toEqual({ ...key, ty: 'door', v: 2, opened: 0 });
    expect(await stored(other)).toMatchObject({ v: 2, lock: { holder: 'ada', reason: '' } });
  });

  it('creates an item that does not exist', async () => {
    await second.write(update(absent('pk'), { set: { ty: 'door', v: 2 } }));
    expect(await stored()).toEqual({ ...key, ty: 'door', v: 2 });
  });

  it('costs one call where the item has the version of the release already', async () => {
    let calls = 0;
    const counting = engine.open({ schemas: release(2, [migration]), onCall: () => calls++ });
    await put({ v: 2 });
    await counting.write(update(equals('opened', 0), { add: { opened: 1 } }));
    expect(calls).toBe(1);
  });
});

describe('an item of a version that the release does not know', () => {
  it('is rejected with 503 by every read, and left as it is', async () => {
    await put({ v: 2, lock: { holder: 'ada', reason: '' } });
    await expect(unaware.get(key, true)).rejects.toEqual(unavailable);
    await expect(unaware.getAll([key])).rejects.toEqual(unavailable);
    await expect(unaware.query({ partition: key.pk })).rejects.toEqual(unavailable);
    expect(await stored()).toMatchObject({ v: 2, lock: { holder: 'ada', reason: '' } });
  });

  it('is rejected with 503 by a write whose condition does not hold, and left as it is', async () => {
    await put({ v: 2, lock: { holder: 'ada', reason: '' } });
    await expect(unaware.write(update(equals('holder', 'ada'), { remove: ['holder'] }))).rejects.toBeInstanceOf(
      DomainError,
    );
    expect(await stored()).toMatchObject({ v: 2, lock: { holder: 'ada', reason: '' } });
  });

  it('is returned unconverted to the consistency check', async () => {
    const tableName = await engine.createTable();
    await engine.open({ tableName }).write({ kind: 'put', key, item: { ...key, ty: 'door', v: 2 } });
    const items: Item[] = [];
    for await (const item of scanItems(engine.open({ tableName, schemas: release(1, []) }))) items.push(item);
    expect(items).toEqual([{ ...key, ty: 'door', v: 2 }]);
  });
});

describe('two releases that run side by side', () => {
  it('lock, unlock and count like one release, whatever the order of their writes', async () => {
    const step = fc.record({
      by: fc.constantFrom<'first' | 'second'>('first', 'second'),
      what: fc.constantFrom<'lock' | 'unlock' | 'open'>('lock', 'unlock', 'open'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(1, 2),
        async (steps, version) => {
          key = { pk: `DOOR#${++doors}`, sk: 'D' };
          await put({ v: version });
          const model = { opened: 0, isLocked: false };
          for (const { by, what } of steps) {
            const [database, lockPath, change] =
              by === 'first'
                ? ([first, 'holder', { set: { holder: 'ada', reason: 'r' } }] as const)
                : ([second, 'lock', { set: { lock: { holder: 'ada', reason: 'r' } } }] as const);
            const write = {
              lock: update(absent(lockPath), change),
              unlock: update(equals(by === 'first' ? 'holder' : 'lock.holder', 'ada'), {
                remove: by === 'first' ? ['holder', 'reason'] : ['lock'],
              }),
              open: update(all(absent(lockPath), below('opened', 100)), { add: { opened: 1 } }),
            }[what];
            const isApplied = await database.write(write).then(
              () => true,
              (error: unknown) => {
                if (error instanceof ConditionFailed) return false;
                throw error;
              },
            );
            expect(isApplied).toBe(what === 'unlock' ? model.isLocked : !model.isLocked);
            if (isApplied && what === 'open') model.opened += 1;
            else if (isApplied) model.isLocked = what === 'lock';
          }
          const lock = model.isLocked ? { lock: { holder: 'ada', reason: 'r' } } : {};
          expect(await second.get(key, true)).toEqual({ ...key, ty: 'door', v: 2, opened: model.opened, ...lock });
          const holder = model.isLocked ? { holder: 'ada', reason: 'r' } : {};
          expect(await first.get(key, true)).toEqual({ ...key, ty: 'door', v: 1, opened: model.opened, ...holder });
        },
      ),
      bounded(12),
    );
  });
});
