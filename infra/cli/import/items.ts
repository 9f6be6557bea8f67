import { rename } from 'node:fs/promises';
import { sortable } from '../bundle/canonical.ts';
import { createSorter } from '../bundle/sorter.ts';
import type { Item, ItemResult } from './evaluate.ts';
import type { ImportFolder } from './folder.ts';
import { writeLines } from './inventory.ts';

/** A line of the proof: what the source has, and what the target has of it. */
export interface Proof extends Item {
  /** Whether the user has accepted that it differs. */
  readonly accepted?: boolean;
  /** Of state versions: what the source says, what the bytes are, and what the target says. */
  readonly version?: {
    readonly source: {
      readonly id: string;
      readonly serial?: number;
      readonly size?: number;
      readonly 'created-at'?: string;
    };
    readonly bytes?: {
      readonly sha256: string;
      readonly md5: string;
      readonly size: number;
      readonly serial: number;
      readonly lineage: string | null;
    };
    readonly target?: {
      readonly id: string;
      readonly serial: number;
      readonly md5: string;
      readonly size: number | null;
    };
  };
}

/** Numbers of objects by type and result. */
export type Counts = Record<string, Partial<Record<ItemResult, number>>>;

/** Reason of an object that this import has written, and that the source does not have any more. It is no object of the inventory. */
export const DELETED = 'deleted-at-source';

/** Collects lines about objects, and writes them sorted to a file of the import. */
export interface ItemFile<I extends Item> {
  readonly add: (item: I) => Promise<void>;
  /** Numbers of the objects of the inventory. */
  readonly counts: Counts;
  readonly close: () => Promise<void>;
}

/** Starts a file of items. It has its name once it is complete. */
export const openItemFile = <I extends Item>(folder: ImportFolder, name: string): ItemFile<I> => {
  const counts: Counts = {};
  const sorter = createSorter(folder.path(`${name}.sorting`), (line) => {
    const { workspace = '', type, name: item } = JSON.parse(line) as Item;
    return [workspace, type, item].map(sortable).join('\u0000\u0000');
  });
  return {
    add: async (item) => {
      countItem(counts, item);
      await sorter.add(JSON.stringify(item));
    },
    counts,
    close: async () => {
      const part = folder.path(`${name}.part`);
      await writeLines(part, sorter.sorted());
      await rename(part, folder.path(name));
    },
  };
};

/** Counts an object of the inventory. One that the source has deleted is none. */
export const countItem = (counts: Counts, { type, result, reason }: Pick<Item, 'type' | 'result' | 'reason'>): void => {
  if (reason === DELETED) return;
  const ofType = counts[type] ?? {};
  ofType[result] = (ofType[result] ?? 0) + 1;
  counts[type] = ofType;
};

/** Adds up results over all types. */
export const totalOf = (counts: Counts): Readonly<Record<ItemResult, number>> => {
  const total = { same: 0, create: 0, update: 0, conflict: 0, cannot: 0, waiting: 0 };
  for (const ofType of Object.values(counts)) {
    for (const [result, count] of Object.entries(ofType) as [ItemResult, number][]) total[result] += count;
  }
  return total;
};
