import type { Condition } from '../../domain/changes/conditions.ts';
import { render } from '../dynamodb/expressions.ts';
import { type ItemType, type KeyAttribute, keyFromAttributes, typeAndVersion } from '../dynamodb/item-schemas.ts';
import type { Key } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/**
 * Builds the write of a whole item whose attributes determine its key.
 * @param condition undefined for a write without a condition.
 * @example
 * itemWrite('run-id', { id, organization, workspace, project, at }, absent('pk'));
 */
export const itemWrite = <T extends ItemType, A extends Readonly<Record<KeyAttribute<T>, unknown>>>(
  ty: T,
  attributes: A,
  condition?: Condition,
): Write => {
  const key = keyFromAttributes(ty, attributes) as Key;
  return {
    kind: 'put',
    key,
    item: { ...attributes, ...key, ...typeAndVersion(ty) },
    ...render({ ...(condition && { condition }) }),
  };
};
