import type { Database } from '../dynamodb/database.ts';
import { keys, listPartition, variableKeysFrom, variableSortKey } from '../dynamodb/keys.ts';
import { type ListedVariable, listedVariableOf, placeOf, setPlaceOf } from '../items/variable-items.ts';

/** Keys of variables in their order. */
export interface FoundKeys {
  readonly variables: readonly ListedVariable[];
  /** The variable after which the next ones are read; undefined after the last one. */
  readonly next: ListedVariable | undefined;
}

/** Maximum number of rows that a request reads from each partition of the index. */
export const ROWS = 250;
/** A code point above all characters, which ends the range of the texts with a beginning. */
const LAST = '\u{10FFFF}';

/** Compares texts in the order of the index, by their bytes. */
const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
const byPosition = (one: ListedVariable, other: ListedVariable): number => compare(one.position, other.position);

/** Opens the search for variables by their keys (VAR-19). It reads the index only, which has no values. */
export const openVariableKeys = (database: Database) => ({
  /**
   * Returns the position of a variable of an organization, by its id; undefined if the variable does not exist any more.
   */
  findPosition: async (organization: string, id: string): Promise<string | undefined> => {
    const pointer = await database.get(keys.pointer(id));
    const place = placeOf(pointer) ?? setPlaceOf(pointer);
    return place?.organization === organization ? variableSortKey(place) : undefined;
  },

  /**
   * Finds the variables of an organization whose keys begin with a text, ignoring case, ordered by key.
   * @param after position after which they begin.
   * @param limit maximum number of rows that are read from each partition.
   */
  find: async (organization: string, text: string, after: string | undefined, limit: number): Promise<FoundKeys> => {
    const beginning = variableKeysFrom(text);
    const until = beginning + LAST;
    const from = after === undefined || compare(after, beginning) < 0 ? beginning : after;
    if (compare(from, until) > 0) return { variables: [], next: undefined };
    const pages = await Promise.all(
      listPartition.allVariableKeys(organization).map(async (partition) => {
        const range = from === '' ? {} : { from, until };
        const { items, next } = await database.page({ index: 'list', partition, ...range, limit: limit + 1 });
        const variables = items.map(listedVariableOf).filter(({ position }) => position !== after);
        return { variables: variables.slice(0, limit), hasMore: next !== undefined || variables.length > limit };
      }),
    );
    // Up to here, all partitions are known.
    const [next] = pages
      .flatMap(({ variables, hasMore }) => (hasMore ? (variables.at(-1) ?? []) : []))
      .sort(byPosition);
    const variables = pages
      .flatMap((page) => page.variables)
      .filter((variable) => next === undefined || byPosition(variable, next) <= 0)
      .sort(byPosition);
    return { variables, next };
  },
});

export type VariableKeys = ReturnType<typeof openVariableKeys>;
