/**
 * Substring search in all names of a list index. The names are joined into long strings of 1,024 names each, because one
 * `indexOf` over a long string is much faster than one for each name.
 */
export interface NameSearch {
  /** Reports that the name of the row in `slot` has changed. */
  readonly invalidate: (slot: number) => void;
  /**
   * Calls `found` for each row whose name contains `part`.
   * @param part lower case, not empty.
   */
  readonly search: (part: string, found: (slot: number) => void) => void;
  /** Returns the name of a row in lower case. */
  readonly lower: (slot: number) => string;
}

/** Names of 1,024 consecutive slots. */
interface Chunk {
  readonly text: string;
  /** Offset of each name, and the offset after the last one. */
  readonly starts: Uint32Array;
}

/** Names of a chunk, as a power of two: a rename rebuilds one chunk. */
const CHUNK_BITS = 10;
const CHUNK_SIZE = 1 << CHUNK_BITS;
/** Separator of names, which cannot contain it. */
const SEPARATOR = '\n';

/**
 * Creates a search over the names of a list index. Chunks are built at the first search.
 * @param nameOf returns the name in a slot; empty for a free slot.
 * @param end returns the number of slots.
 */
export const createNameSearch = (nameOf: (slot: number) => string, end: () => number): NameSearch => {
  /** Undefined: to be rebuilt by the next search. */
  const chunks: (Chunk | undefined)[] = [];

  const build = (number: number): Chunk => {
    const first = number * CHUNK_SIZE;
    const names = Array.from({ length: Math.min(CHUNK_SIZE, end() - first) }, (_, index) =>
      nameOf(first + index).toLowerCase(),
    );
    const starts = new Uint32Array(names.length + 1);
    for (const [index, { length }] of names.entries()) starts[index + 1] = (starts[index] as number) + length + 1;
    return { text: names.join(SEPARATOR), starts };
  };
  const chunk = (number: number): Chunk => {
    chunks[number] ??= build(number);
    return chunks[number];
  };

  return {
    invalidate: (slot) => {
      chunks[slot >>> CHUNK_BITS] = undefined;
    },
    search: (part, found) => {
      if (part.includes(SEPARATOR)) return;
      for (let number = 0; number * CHUNK_SIZE < end(); number++) {
        const { text, starts } = chunk(number);
        let index = 0;
        for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, starts[index])) {
          while ((starts[index + 1] as number) <= at) index++;
          found(number * CHUNK_SIZE + index++);
        }
      }
    },
    lower: (slot) => {
      const { text, starts } = chunk(slot >>> CHUNK_BITS);
      const index = slot & (CHUNK_SIZE - 1);
      return text.slice(starts[index], (starts[index + 1] as number) - 1);
    },
  };
};
