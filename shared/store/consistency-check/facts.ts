import type { Item } from '../dynamodb/item.ts';
import type { Key } from '../dynamodb/keys.ts';

/** Joins the partition key and the sort key of an item with a space. */
export const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;
/** Returns the partition key and the sort key of an item, separated by a space, as in `Finding.key`. */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
/** Converts an attribute to text. */
export const textOf = (value: unknown): string => String(value);
/** Name of the organization that an item belongs to. */
export const organizationOf = (item: Item): string => textOf(item['org'] ?? item['organization']);
/** Ids of the teams that an item grants access to. */
export const teamsIn = (item: Item): readonly string[] => Object.keys((item['acc'] ?? {}) as object);
