import { badParameter } from './query-values.ts';
import type { Direction, Order } from './selection.ts';

/** Sort orders by wire name (LIST-6). */
const orders: Readonly<Record<string, Order>> = {
  name: 'name',
  'current-run.created-at': 'runAt',
  'latest-change-at': 'latestChangeAt',
  'locked-at': 'lockedAt',
};

/** Returns all values of the parameter `sort`. A hyphen means descending. */
export const sortValues = (): readonly string[] => Object.keys(orders).flatMap((name) => [name, `-${name}`]);

/**
 * Reads the parameter `sort`.
 * @throws DomainError 400 for an unknown sort order.
 */
export const readOrder = (query: URLSearchParams): { readonly order: Order; readonly direction: Direction } => {
  const sort = query.get('sort') || 'name';
  const [, hyphen, attribute = ''] = /^(-?)(.*)$/s.exec(sort) ?? [];
  const order = Object.hasOwn(orders, attribute) ? orders[attribute] : undefined;
  if (order === undefined) throw badParameter('sort', `must be one of: ${sortValues().join(', ')}`);
  return { order, direction: hyphen ? 'descending' : 'ascending' };
};
