/**
 * Remote state consumers: the workspaces that may read the state of another (CONS-9, CONS-10). Their ids lie in items
 * of their own, in chunks of one generation, and the workspace says which generation that is: replacing them all is one
 * switch to the next, and whoever reads has either the old ones or the new.
 */
export interface ConsumerSet {
  readonly generation: string;
  /** A power of two; which chunk an id lies in follows from the id. */
  readonly chunks: number;
  /** Raised with every change, by one: what was read stands as long as it does. */
  readonly changes: number;
  /** There are no more ids in it than this, and perhaps fewer: adding one that is there counts as well. */
  readonly atMost: number;
}

/** What a change of a set does to its chunks, in one transaction with the workspace's own write. */
export interface ConsumersWrite {
  /** The first chunks that there are, or ids into, or out of, those of the generation in force. */
  readonly kind: 'create' | 'add' | 'remove';
  readonly ids: readonly string[];
  /** The set once it is changed. */
  readonly set: ConsumerSet;
}

/** How chunks are filled; tests fill them with less. */
export interface Sizing {
  /** Ids for each chunk, on average, of a set that is written anew; with twice as many it is written anew again. */
  readonly room: number;
  /** How many chunks one transaction may change. */
  readonly chunksAtOnce: number;
}

/** At 32 KB to 64 KB a chunk, a transaction stays far below the 4 MB and the 100 writes that DynamoDB lets it have. */
export const SIZING: Sizing = { room: 2_000, chunksAtOnce: 40 };

/** The most that a chunk can hold: far above the average, as ids are random, and far below the 400 KB of an item. */
export const CHUNK_CAPACITY = 8_000;

/** In how many chunks to write so many ids. */
export const chunksFor = (count: number, { room }: Sizing): number =>
  2 ** Math.max(0, Math.ceil(Math.log2(count / room)));

/** Whether the chunks of so many ids can be changed in one transaction. */
export const canChange = (chunks: number, ids: number, { chunksAtOnce }: Sizing): boolean =>
  Math.min(chunks, ids) <= chunksAtOnce;

/** Whether ids can be added to the chunks that there are; otherwise all of them have to be written anew. */
export const hasRoom = (
  { chunks, atMost }: Pick<ConsumerSet, 'chunks' | 'atMost'>,
  adding: number,
  sizing: Sizing,
): boolean => atMost + adding <= chunks * 2 * sizing.room && canChange(chunks, adding, sizing);
