import { absent, all, any, type Change, type Condition, equals, exists } from '../../domain/changes/conditions.ts';
import { type Attributes, render } from '../dynamodb/expressions.ts';
import { type ItemType, type KeyAttribute, keyFromAttributes, typeAndVersion } from '../dynamodb/item-schemas.ts';
import type { Item, Key } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/** The item exists and is not being deleted. */
export const OPEN: Condition = all(exists('pk'), absent('closing'), absent('gone'));

/** The item is absent or has this id, so that the write can be repeated when its response was lost. */
export const ownOrNone = (id: string): Condition => any(absent('pk'), equals('id', id));

/** Returns the key of a stored item. */
export const keyOf = (item: Item): Key => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** Builds the write of a whole item. By default, the item must not exist yet. */
export const put = (key: Key, ty: ItemType, item: Item, condition: Condition = absent('pk')): Write => ({
  kind: 'put',
  key,
  item: { ...item, ...key, ...typeAndVersion(ty) },
  ...render({ condition }),
});

/**
 * Builds the write of a whole item whose attributes determine its key.
 * @param condition undefined for a write without a condition.
 * @example
 * itemWrite('run-id', { id, organization, workspace, project, at }, absent('pk'));
 */
export const itemWrite = <T extends ItemType, A extends Readonly<Record<KeyAttribute<T>, unknown>>>(
  ty: T,
  attributes: A,
  condition: Condition = all(),
): Write => put(keyFromAttributes(ty, attributes) as Key, ty, attributes, condition);

/** Builds a change of an item. By default, the item must be `OPEN`. */
export const update = (key: Key, change: Change, condition: Condition = OPEN, attributes?: Attributes): Write => ({
  kind: 'update',
  key,
  ...render({ condition, change }, attributes),
});

/** Builds the deletion of an item. By default, it has no condition. */
export const remove = (key: Key, condition?: Condition, attributes?: Attributes): Write => ({
  kind: 'delete',
  key,
  ...render({ condition }, attributes),
});

/** Builds a check of an item without a change. By default, the item must be `OPEN`. */
export const check = (key: Key, condition: Condition = OPEN, attributes?: Attributes): Write => ({
  kind: 'check',
  key,
  ...render({ condition }, attributes),
});
