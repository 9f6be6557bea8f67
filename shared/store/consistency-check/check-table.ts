import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { factsOf, keyOf } from './facts.ts';
import { problemsOf } from './items.ts';
import { type Finding, problemsBetween } from './relations.ts';

export interface Checked {
  /** Items in the table, of every type. */
  readonly items: number;
  readonly byType: Readonly<Record<string, number>>;
  /** Number of findings; at most `MOST_FINDINGS` of them are listed. */
  readonly findingCount: number;
  readonly findings: readonly Finding[];
  /** Keys of records whose deletion has begun but not ended. They are valid; the deletion can be repeated. */
  readonly closing: readonly string[];
}

const MOST_FINDINGS = 100;

interface Pass {
  readonly items: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  readonly closing: readonly string[];
}

const readOnce = async (database: Database): Promise<Pass> => {
  const byType: Record<string, number> = {};
  const findings: Finding[] = [];
  const items = new Map<string, Item>();
  const closing: string[] = [];
  for await (const item of database.scan()) {
    const ty = String(item['ty']);
    byType[ty] = (byType[ty] ?? 0) + 1;
    findings.push(...problemsOf(item).map((problem) => ({ key: keyOf(item), problem })));
    if (item['closing'] !== undefined) closing.push(keyOf(item));
    items.set(keyOf(item), factsOf(item));
  }
  findings.push(...problemsBetween(items));
  return { items: items.size, byType, findings, closing };
};

/**
 * Checks every item of the table, and the relations between items. A scan is not a snapshot: items that changed while it
 * ran may seem to contradict each other, so a problem is reported only if a second scan finds it again.
 */
export const checkTable = async (database: Database): Promise<Checked> => {
  const first = await readOnce(database);
  const second = first.findings.length === 0 ? first : await readOnce(database);
  const found = new Set(first.findings.map(({ key, problem }) => `${key}\n${problem}`));
  const findings = second.findings.filter(({ key, problem }) => found.has(`${key}\n${problem}`));
  return {
    items: second.items,
    byType: second.byType,
    findingCount: findings.length,
    findings: findings.slice(0, MOST_FINDINGS),
    closing: second.closing.slice(0, MOST_FINDINGS),
  };
};
