import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, keyOf } from '../../../infra/cli/bundle/canonical.ts';
import { createSorter } from '../../../infra/cli/bundle/sorter.ts';
import type { NotCarried, Source, SourceVersion } from '../../../infra/cli/import/source.ts';
import type { RecordType } from '../../../shared/bundle/types.ts';

/** Inventory of a source without an organization. */
export interface CollectedInventory {
  readonly workspaces: readonly string[];
  /** State versions, those of each workspace in their order. */
  readonly versions: readonly SourceVersion[];
  readonly notCarried: readonly NotCarried[];
  /** All records in the order in which they were added. */
  readonly records: readonly (readonly [type: string, record: unknown])[];
}

/** Reads the inventory of a source. */
export const collectInventory = async (
  source: Source,
  includes: (name: string) => boolean = () => true,
): Promise<CollectedInventory> => {
  const scratch = mkdtempSync(join(tmpdir(), 'holdfast-inventory-'));
  const records: [string, unknown][] = [];
  const notCarried: NotCarried[] = [];
  try {
    await source.readInventory(
      {
        add: async (type, record) => void records.push([type, record]),
        addNotCarried: async (item) => void notCarried.push(item),
        createSorter: (name, keyOf) => createSorter(join(scratch, name), keyOf),
      },
      includes,
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
  const recordsOf = <T>(wanted: string) => records.flatMap(([type, record]) => (type === wanted ? [record as T] : []));
  return {
    workspaces: recordsOf<{ readonly name: string }>('workspaces').map(({ name }) => name),
    versions: recordsOf<SourceVersion>('state-versions'),
    notCarried: notCarried.sort((a, b) => (a.name < b.name ? -1 : 1)),
    records,
  };
};

/** Downloads a state version as a whole. */
export const downloadAll = async (source: Source, version: SourceVersion): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const part of source.download(version)) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** Writes a state. */
export const stateOf = (serial: number, lineage = 'l-1', more: object = {}): string =>
  JSON.stringify({ version: 4, terraform_version: '1.9.8', serial, lineage, outputs: {}, resources: [], ...more });

/** Returns the records of a type as a bundle has them: in its order, and without members that are undefined. */
// biome-ignore lint/suspicious/noExplicitAny: records of all types.
export const recordsOf = ({ records }: CollectedInventory, wanted: RecordType): readonly any[] =>
  records
    .flatMap(([type, record]) => (type === wanted ? [JSON.parse(canonicalJson(record))] : []))
    .sort((a, b) => (keyOf(wanted, a) < keyOf(wanted, b) ? -1 : 1));
