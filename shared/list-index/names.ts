/** All names of a list index in lower case, a chunk of them in one text: looked through at once, not name by name. */
export interface Names {
  /** The name of row `slot` changed. */
  readonly touch: (slot: number) => void;
  /** Calls `found` for each row that has the part, in lower case and not empty, in its name. */
  readonly search: (part: string, found: (slot: number) => void) => void;
  /** The name of a row, in lower case. */
  readonly lower: (slot: number) => string;
}

interface Chunk {
  readonly text: string;
  /** Where each name begins, and one would after the last. */
  readonly starts: Uint32Array;
}

const BITS = 10;
const SIZE = 1 << BITS;
/** Between names: in none of them. */
const SEPARATOR = '\n';

/** @param nameOf empty where there is no row. */
export const createNames = (nameOf: (slot: number) => string, end: () => number): Names => {
  /** Made anew when one of their names changed, once they are looked through. */
  const chunks: (Chunk | undefined)[] = [];

  const make = (number: number): Chunk => {
    const first = number * SIZE;
    const names = Array.from({ length: Math.min(SIZE, end() - first) }, (_, index) =>
      nameOf(first + index).toLowerCase(),
    );
    const starts = new Uint32Array(names.length + 1);
    for (const [index, { length }] of names.entries()) starts[index + 1] = (starts[index] as number) + length + 1;
    return { text: names.join(SEPARATOR), starts };
  };
  const chunk = (number: number): Chunk => {
    chunks[number] ??= make(number);
    return chunks[number];
  };

  return {
    touch: (slot) => {
      chunks[slot >>> BITS] = undefined;
    },
    search: (part, found) => {
      if (part.includes(SEPARATOR)) return;
      for (let number = 0; number * SIZE < end(); number++) {
        const { text, starts } = chunk(number);
        let index = 0;
        for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, starts[index])) {
          while ((starts[index + 1] as number) <= at) index++;
          found(number * SIZE + index++);
        }
      }
    },
    lower: (slot) => {
      const { text, starts } = chunk(slot >>> BITS);
      const index = slot & (SIZE - 1);
      return text.slice(starts[index], (starts[index + 1] as number) - 1);
    },
  };
};
