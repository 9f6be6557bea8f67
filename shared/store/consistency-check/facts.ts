import { cleanupPartition, type Item, type Key, WORKSPACE } from '../dynamodb/keys.ts';

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

/** Returns whether an attribute is a map. */
export const isMap = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set);
/** Returns whether an attribute is an integer that is not below `least`. */
export const isCount = (value: unknown, least = 1): boolean => Number.isSafeInteger(value) && Number(value) >= least;
/** Returns whether an attribute is a text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** Returns whether an attribute is a change record. */
export const isChangeRecord = (value: unknown): boolean =>
  isMap(value) && isText(value['id']) && isText(value['type']) && isMap(value['actor']) && isCount(value['at']);

/** Returns whether an attribute is a time as a sort key. */
export const isSortableTime = (value: unknown): boolean => typeof value === 'string' && /^\d{13}$/.test(value);
/** Returns whether an item is in the cleanup partition of the due index. */
export const isQueuedForCleanup = ({ pk, id, sk, d, dk }: Item): boolean =>
  d === cleanupPartition(textOf(sk === WORKSPACE ? id : pk)) && isSortableTime(dk);

/** Returns undefined if the read throws: a damaged item is a finding of its own, not of the items that refer to it. */
export const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Reads of the items that an item refers to. */
export interface Lookup {
  /** Returns the item with a key; undefined if there is none. */
  readonly at: (key: Key) => Item | undefined;
  /** Counts the items of a partition whose sort keys begin with a prefix. */
  readonly count: (partition: string, prefix: string) => number;
}

/** Context of the checks of an item: reads of the items that it refers to, and a place for its problems. */
export interface Check extends Lookup {
  /** Records a problem of the item that is being checked unless `holds`. */
  readonly must: (holds: boolean, problem: string) => void;
}

/** Checks of items, by type. */
export type Checks<T extends string> = Readonly<Record<T, (item: Item) => void>>;
