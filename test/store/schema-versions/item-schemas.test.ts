import { describe, expect, it } from 'vitest';
import { type DomainError, UnknownItemVersion } from '../../../shared/domain/errors.ts';
import {
  hasKnownVersion,
  type ItemSchemas,
  itemSchemas,
  type Migration,
  toCurrentVersion,
} from '../../../shared/store/dynamodb/item-schemas.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';

/** Three versions of one type: `color` is renamed to `paint`, then becomes a list. */
const rename: Migration = {
  up: ({ color, ...item }) => ({ ...item, ...(color !== undefined && { paint: color }) }),
  down: ({ paint, ...item }) => ({ ...item, ...(paint !== undefined && { color: paint }) }),
};
const toList: Migration = {
  up: ({ paint, ...item }) => ({ ...item, paints: paint === undefined ? [] : [paint] }),
  down: ({ paints, ...item }) => ({
    ...item,
    ...((paints as string[]).length > 0 && { paint: (paints as string[])[0] }),
  }),
};
const schemasAt = (version: number): ItemSchemas => ({ car: { version, migrations: [rename, toList] } });

const key = { pk: 'CAR#1', sk: 'C', ty: 'car', id: 'car-1' };
const forms: readonly Item[] = [
  { ...key, v: 1, color: 'red' },
  { ...key, v: 2, paint: 'red' },
  { ...key, v: 3, paints: ['red'] },
];

describe('converting an item to the version of this release', () => {
  it.each([1, 2, 3].flatMap((from) => [1, 2, 3].map((to) => [from, to] as const)))(
    'applies the migrations between version %i and version %i in order',
    (from, to) => {
      expect(toCurrentVersion(forms[from - 1] as Item, schemasAt(to))).toEqual(forms[to - 1]);
    },
  );

  it('keeps attributes that no migration names', () => {
    const item = { ...forms[0], wheels: 4 };
    expect(toCurrentVersion(item, schemasAt(3))).toEqual({ ...forms[2], wheels: 4 });
  });

  it('converts an item that lacks the migrated attribute', () => {
    expect(toCurrentVersion({ ...key, v: 1 }, schemasAt(3))).toEqual({ ...key, v: 3, paints: [] });
    expect(toCurrentVersion({ ...key, v: 3, paints: [] }, schemasAt(1))).toEqual({ ...key, v: 1 });
  });

  it('returns an item of the current version unchanged, so that no item is converted twice', () => {
    for (const version of [1, 2, 3]) {
      const converted = toCurrentVersion(forms[0] as Item, schemasAt(version));
      expect(toCurrentVersion(converted, schemasAt(version))).toBe(converted);
    }
  });

  it('leaves the stored item as it was', () => {
    const stored = Object.freeze({ ...forms[0] }) as Item;
    toCurrentVersion(stored, schemasAt(3));
    expect(stored).toEqual(forms[0]);
  });

  it('returns rows of an index, which carry no version, as they are', () => {
    const row = { pk: 'CAR#1', sk: 'C', ty: 'car', color: 'red' };
    expect(toCurrentVersion(row, schemasAt(3))).toBe(row);
  });

  it.each([0, 4, 1.5, '1', null])(
    'reports the unknown version %j as unavailable, and names it to the operator',
    (v) => {
      const convert = () => toCurrentVersion({ ...key, v }, schemasAt(2));
      expect(convert).toThrow(UnknownItemVersion);
      try {
        convert();
      } catch (error) {
        const { code, cause } = error as DomainError;
        expect(code).toBe('unavailable');
        expect(String(cause)).toBe(
          `Error: An item of type car has schema version ${v}, but this release reads versions 1 to 3.`,
        );
      }
    },
  );
});

describe('the schemas of this release', () => {
  it.each(Object.entries(itemSchemas))('have migrations up to the version that they write: %s', (_, schema) => {
    expect(schema.version).toBeGreaterThanOrEqual(1);
    expect(schema.version).toBeLessThanOrEqual(schema.migrations.length + 1);
  });

  it('know the version of an item only if they know its type', () => {
    expect(hasKnownVersion({ ty: 'workspace', v: itemSchemas.workspace.version })).toBe(true);
    expect(hasKnownVersion({ ty: 'workspace', v: 99 })).toBe(false);
    expect(hasKnownVersion({ ty: 'workspace' })).toBe(false);
    expect(hasKnownVersion({ ty: 'spaceship', v: 1 })).toBe(false);
    expect(hasKnownVersion({ ty: 'toString', v: 1 })).toBe(false);
  });
});
