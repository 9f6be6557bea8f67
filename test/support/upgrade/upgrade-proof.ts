import { readdirSync, readFileSync } from 'node:fs';
import { decodeSnapshot } from '../../../shared/list-index/snapshot.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { itemSchemas } from '../../../shared/store/dynamodb/item-schemas.ts';
import { keyOf } from '../../../shared/store/items/item-write.ts';
import { startEngine } from '../engine/engine.ts';
import { scanItems } from '../engine/scan-items.ts';
import { fillTable } from './fill-table.ts';
import { ONLY_READ, readFrozenTable, readPreviousSchemas } from './frozen-table.ts';

export interface UpgradeProof {
  /** Items that the previous release wrote and this release finds valid, alone and with each other. */
  readonly read: number;
  /** Items of this release in a version that the previous release reads. */
  readonly readBack: number;
  /** Item types that the previous release does not have. It reads none of their keys. */
  readonly added: readonly string[];
  /** Snapshot formats, and whether this release reads or replaces them. */
  readonly snapshots: Readonly<Record<string, 'read' | 'replaced'>>;
  /** Descriptions of failed checks. */
  readonly findings: readonly string[];
}

/**
 * Proves an upgrade from the previous release and the way back. The code of the previous release is not at hand, so the way
 * back is proven by the schema versions that it reads, which it has stored with its table: a release converts every item
 * of a version that it reads, and ignores attributes and item types that it does not know.
 */
export const proveUpgrade = async (): Promise<UpgradeProof> => {
  const engine = await startEngine();
  const frozen = engine.open({ tableName: await engine.createTable() });
  const items = readFrozenTable();
  for (const item of items) await frozen.write({ kind: 'put', key: keyOf(item), item });
  const checked = await checkTable(frozen, { restart: true });
  const findings = checked.findings.map(({ key, problem }) => `${key}: ${problem}`);

  await fillTable(engine);
  const reads = readPreviousSchemas();
  const added = new Set<string>();
  const types = new Set<string>();
  let readBack = 0;
  for await (const { ty, v } of scanItems(engine.database)) {
    const highest = reads[String(ty)];
    if (highest === undefined) added.add(String(ty));
    else if (Number(v) > highest) findings.push(`the previous release does not read version ${v} of ${ty}`);
    else {
      types.add(String(ty));
      readBack++;
    }
  }
  const own = await checkTable(engine.database, { restart: true });
  findings.push(...own.findings.map(({ key, problem }) => `${key}: ${problem}`));
  await engine.stop();
  const filled = new Set([...types, ...added]);
  for (const type of Object.keys(itemSchemas))
    if (!filled.has(type) && !ONLY_READ.has(type)) findings.push(`fillTable writes no item of type ${type}`);

  const folder = new URL('../../fixtures/snapshots/', import.meta.url);
  const snapshots = readdirSync(folder)
    .sort()
    .map(
      (file) =>
        [file, decodeSnapshot(readFileSync(new URL(file, folder))) === undefined ? 'replaced' : 'read'] as const,
    );
  return {
    read: checked.items,
    readBack,
    added: [...added].sort(),
    snapshots: Object.fromEntries(snapshots),
    findings,
  };
};
