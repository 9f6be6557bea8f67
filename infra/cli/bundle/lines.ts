import { createReadStream } from 'node:fs';

/** Longest line in characters. A longer one is refused, so that a file without an end of line needs no more memory. */
const LONGEST_LINE = 64 * 2 ** 20;

/** A file whose lines cannot be read. */
export class LineError extends Error {}

/**
 * Yields the lines of a file without their ends.
 * @throws LineError for a line that is too long, or a last one without an end.
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  /** The beginning of a line whose end has not been read. It is put together only once, also if it is long. */
  let rest: string[] = [];
  let length = 0;
  for await (const part of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (part as string).split('\n');
    const last = lines.pop() ?? '';
    const [first, ...others] = lines;
    if (first !== undefined) {
      yield rest.join('') + first;
      yield* others;
      rest = [];
      length = 0;
    }
    rest.push(last);
    length += last.length;
    if (length > LONGEST_LINE) throw new LineError('A line is longer than 64 MiB.');
  }
  if (length > 0) throw new LineError('The last line has no end.');
}
