/**
 * Metadata of the remote state consumers of a workspace: the workspaces that may read its state (CONS-9, CONS-10). Their
 * ids are stored in items of their own, the chunks of a generation. The workspace names the current generation, so
 * replacing all consumers is one atomic switch, and a reader gets either the old set or the new one.
 */
export interface ConsumerSet {
  readonly generation: string;
  /** Number of chunks, a power of two. The chunk of an id is computed from the id. */
  readonly chunks: number;
  /** Number of changes of the set, for optimistic concurrency control. */
  readonly changes: number;
  /** Upper bound of the number of ids. Adding an existing id counts as well. */
  readonly atMost: number;
}

/** Writes on the chunks of a set, in the same transaction as the write on the workspace. */
export interface ConsumersWrite {
  /** `create` writes the first chunks; `add` and `remove` change the chunks of the current generation. */
  readonly kind: 'create' | 'add' | 'remove';
  readonly ids: readonly string[];
  /** Metadata of the set after the change. */
  readonly set: ConsumerSet;
}

/** Sizes of chunks and transactions. Tests use smaller ones. */
export interface Sizing {
  /** Average number of ids for each chunk of a new generation. At twice as many, the set is rewritten. */
  readonly room: number;
  /** Maximum number of chunks that one transaction changes. */
  readonly chunksAtOnce: number;
}

/** Chunks have 32 KB to 64 KB, so a transaction stays far below DynamoDB's limits of 4 MB and 100 writes. */
export const SIZING: Sizing = { room: 2_000, chunksAtOnce: 40 };

/**
 * Maximum number of ids in a chunk. It is far above the average, because ids are random, and far below the item size of
 * 400 KB.
 */
export const CHUNK_CAPACITY = 8_000;

/** Returns the number of chunks for a number of ids. */
export const chunksFor = (count: number, { room }: Sizing): number =>
  2 ** Math.max(0, Math.ceil(Math.log2(count / room)));

/** Tells whether one transaction can change the chunks of a number of ids. */
export const canChange = (chunks: number, ids: number, { chunksAtOnce }: Sizing): boolean =>
  Math.min(chunks, ids) <= chunksAtOnce;

/** Tells whether ids can be added to the existing chunks. Otherwise the set has to be rewritten. */
export const hasRoom = (
  { chunks, atMost }: Pick<ConsumerSet, 'chunks' | 'atMost'>,
  adding: number,
  sizing: Sizing,
): boolean => atMost + adding <= chunks * 2 * sizing.room && canChange(chunks, adding, sizing);
