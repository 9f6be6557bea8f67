import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { problemsOf } from './items.ts';
import { type Finding, factsOf, keyOf, problemsBetween } from './relations.ts';

export interface Checked {
  /** Items in the table, of every type. */
  readonly items: number;
  readonly byType: Readonly<Record<string, number>>;
  /** How many findings there are; at most `MOST_FINDINGS` of them are listed. */
  readonly findingCount: number;
  readonly findings: readonly Finding[];
  /** Keys of records whose deletion has begun and not ended: nothing is wrong with them, but it is to be repeated. */
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
 * Reads the whole table and holds every item against what must be so of it. A scan is no
 * snapshot: what changed while it ran may not fit together, so only what a second one finds again is a finding.
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
