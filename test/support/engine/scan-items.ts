import type { Database } from '../../../shared/store/dynamodb/database.ts';
import type { Item } from '../../../shared/store/dynamodb/keys.ts';
import { openStoredItems } from '../../../shared/store/dynamodb/stored-items.ts';

/** Reads every item of a table as it is stored, whatever its schema version. */
export const scanItems = async function* (database: Database): AsyncGenerator<Item> {
  const stored = openStoredItems(database);
  let start: Item | undefined;
  do {
    const { items, next } = await stored.page({ segment: 0, segments: 1 }, start);
    yield* items;
    start = next;
  } while (start !== undefined);
};
