import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import type { StoredItems } from '../../../shared/store/dynamodb/stored-items.ts';

const keyOf = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string => `${pk} ${sk}`;

/** Reads of stored items that return those of a map, by partition key and sort key with a space between them. All are in one segment. */
export const storedIn = (items: ReadonlyMap<string, Item>): StoredItems => ({
  page: async ({ segment }) => ({ items: segment === 0 ? [...items.values()] : [], next: undefined }),
  getAll: async (keys) => keys.map((key) => items.get(keyOf(key))).filter((item) => item !== undefined),
  count: async (partition, prefix) =>
    [...items.values()].filter(({ pk, sk }) => pk === partition && String(sk).startsWith(prefix)).length,
});
