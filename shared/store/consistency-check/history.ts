import type { Item } from '../dynamodb/item.ts';
import { type Key, keys } from '../dynamodb/keys.ts';

/** Invariants of the items of the history, each of which can be checked without any other item. */

const text = (value: unknown): string => String(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
const resourceOf = ({ resource }: Item): Item => (resource ?? {}) as Item;

/** Returns the time in the sort key of an item. It is that of the stream, which the item does not repeat. */
const timeIn = ({ sk }: Item): number => Number(text(sk).split('#')[0]) || 0;

/** Builds the key, or the part of it, that follows from the content of an item. */
export const historySpelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  'history-entry': (item) => keys.historyEntry(text(resourceOf(item)['id']), timeIn(item), Number(item['sequence'])),
  'history-value': ({ id, version }) => keys.historyValue(text(id), text(version)),
  'history-secret': ({ id }) => keys.historySecret(text(id)),
  'history-text': ({ workspace, revision }) => keys.historyText(text(workspace), Number(revision)),
  'history-consumers': ({ workspace, generation, change, chunk }) =>
    keys.historyConsumers(text(workspace), text(generation), Number(change), Number(chunk)),
  'audit-pointer': ({ id, organization, ...item }) => keys.auditPointer(text(organization), timeIn(item), text(id)),
};

const expiryProblems = ({ ttl }: Item): string[] => (isCount(ttl) ? [] : ['it has no expiry']);

/** Problems of the content of an item, by its type. */
export const historyShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  'history-entry': (item) => [
    ...expiryProblems(item),
    ...(typeof item['id'] === 'string' && typeof item['type'] === 'string' && Array.isArray(item['changes'])
      ? []
      : ['it has no id, no action or no changes']),
  ],
  'history-value': (item) => [
    ...expiryProblems(item),
    ...(item['sensitive'] === true && item['value'] !== undefined ? ['it has the value of a sensitive variable'] : []),
  ],
  'history-secret': expiryProblems,
  'history-text': expiryProblems,
  'history-consumers': expiryProblems,
  'audit-pointer': expiryProblems,
};
