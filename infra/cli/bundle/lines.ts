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
  let rest = '';
  for await (const part of createReadStream(path, { encoding: 'utf8' })) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new LineError('A line is longer than 64 MiB.');
    yield* lines;
  }
  if (rest !== '') throw new LineError('The last line has no end.');
}
