import { type Clock, now } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { openStoredItems, type StoredItems } from '../dynamodb/stored-items.ts';
import { type WalkOptions, walkTable } from '../jobs/walk-table.ts';
import { checkPage, type Finding } from './check-page.ts';
import { keyOf } from './facts.ts';

interface Report {
  /** Items that were checked, of every type. */
  readonly items: number;
  readonly byType: Readonly<Record<string, number>>;
  /** Number of findings; at most `MOST_FINDINGS` of them are listed. */
  readonly findingCount: number;
  readonly findings: readonly Finding[];
  /** Keys of records whose deletion has begun but not ended. They are valid; the deletion can be repeated. */
  readonly closing: readonly string[];
}

export interface Checked extends Report {
  /** Number of segments of the table that are still to be checked by another call. */
  readonly left: number;
}

export interface CheckOptions extends WalkOptions {
  readonly clock?: Clock;
  /** Time in milliseconds before a problem is looked for again. */
  readonly pause?: number;
  /** Reads of the items; reads of the table unless a test replaces them. */
  readonly stored?: StoredItems;
}

const MOST_FINDINGS = 100;
const PAUSE = 250;

const merge = (one: Report, other: Report): Report => ({
  items: one.items + other.items,
  byType: Object.fromEntries(
    [...new Set([one, other].flatMap(({ byType }) => Object.keys(byType)))].map((ty) => [
      ty,
      (one.byType[ty] ?? 0) + (other.byType[ty] ?? 0),
    ]),
  ),
  findingCount: one.findingCount + other.findingCount,
  findings: [...one.findings, ...other.findings].slice(0, MOST_FINDINGS),
  closing: [...one.closing, ...other.closing].slice(0, MOST_FINDINGS),
});

/**
 * Checks every item of the table, and the relations between items (STORE-25). A call ends when its time is up; the next
 * one continues where it ended. What a call keeps in memory, and what it leaves for the next one, does not depend on the
 * size of the table: the items that an item refers to are read when it is checked.
 */
export const checkTable = async (
  database: Database,
  { clock = now, pause = PAUSE, stored = openStoredItems(database), ...options }: CheckOptions = {},
): Promise<Checked> => {
  const { report, left } = await walkTable<Report>(
    { database, clock, stored },
    {
      name: 'check-table',
      parameters: '',
      empty: { items: 0, byType: {}, findingCount: 0, findings: [], closing: [] },
      visit: async (page) => {
        const findings = await checkPage(stored, page, pause);
        const byType: Record<string, number> = {};
        for (const { ty } of page.items) byType[String(ty)] = (byType[String(ty)] ?? 0) + 1;
        return {
          items: page.items.length,
          byType,
          findingCount: findings.length,
          findings: findings.slice(0, MOST_FINDINGS),
          closing: page.items.filter(({ closing }) => closing !== undefined).map(keyOf),
        };
      },
      merge,
    },
    options,
  );
  return { ...report, left };
};
