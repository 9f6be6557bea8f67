import { isDeepStrictEqual } from 'node:util';
import { wait } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Item, Key } from '../dynamodb/keys.ts';
import type { StoredItems } from '../dynamodb/stored-items.ts';
import type { TablePage } from '../jobs/walk-table.ts';
import { openChecks } from './checks.ts';
import { keyOf } from './facts.ts';
import { openLookup } from './lookup.ts';

/** A violated invariant, and the item that violates it. */
export interface Finding {
  /** Partition key and sort key of the item, separated by a space. */
  readonly key: string;
  readonly problem: string;
}

/** Number of reads of an item that has a problem, at most. An item may change with each of them. */
const ATTEMPTS = 12;
/** Number of problems that are confirmed concurrently. */
const CONCURRENCY = 16;

/** Checks items, and reads what they refer to as often as a check finds another reference. */
const findProblems = async (items: readonly Item[], lookup: ReturnType<typeof openLookup>): Promise<Finding[]> => {
  const problemsOf = openChecks(lookup);
  const findings: Finding[] = [];
  let unchecked = items;
  while (unchecked.length > 0) {
    const incomplete: Item[] = [];
    for (const item of unchecked) {
      const misses = lookup.misses();
      const problems = problemsOf(item);
      if (lookup.misses() > misses) incomplete.push(item);
      else findings.push(...problems.map((problem) => ({ key: keyOf(item), problem })));
    }
    await lookup.load();
    unchecked = incomplete;
  }
  return findings;
};

/**
 * Checks an item again until two reads of it and of all that it refers to return the same: at the moment between them, all
 * of it was stored at once.
 * @returns the problems at that moment; none if the item is correct now, no longer exists, or changes all the time.
 */
const confirm = async (stored: StoredItems, key: Key, pause: number): Promise<Finding[]> => {
  let before: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await wait(pause);
    const items = await stored.getAll([key]);
    const lookup = openLookup(stored);
    const findings = await findProblems(items, lookup);
    if (findings.length === 0) break;
    const read = [items, lookup.known()];
    if (isDeepStrictEqual(read, before)) return findings;
    before = read;
  }
  return [];
};

/**
 * Checks the items of one page of a scan, and their relations to all other items. The items are not read at one moment, and
 * may seem to contradict each other while they change, so every problem is confirmed.
 * @param pause time before each read that confirms a problem, in milliseconds.
 */
export const checkPage = async (stored: StoredItems, page: TablePage, pause: number): Promise<Finding[]> => {
  const suspects = new Set((await findProblems(page.items, openLookup(stored, page))).map(({ key }) => key));
  const keys = page.items
    .filter((item) => suspects.has(keyOf(item)))
    .map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
  return (await mapWithConcurrency(keys, CONCURRENCY, (key) => confirm(stored, key, pause))).flat();
};
