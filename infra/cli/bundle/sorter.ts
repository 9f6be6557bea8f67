import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { writeTo } from '../io.ts';
import { readLines } from './lines.ts';

/** Characters of lines that are sorted in memory. More of them go to files that are merged at the end. */
const LARGEST_RUN = 4 * 2 ** 20;

/** Sorts any number of lines in constant memory. */
export interface Sorter {
  /** Adds a line. It contains no end of line. */
  readonly add: (line: string) => Promise<void>;
  /** Yields all lines in order, and removes the files at the end. */
  readonly sorted: () => AsyncGenerator<string>;
  /** Removes the files, for lines that nobody reads to the end. */
  readonly discard: () => Promise<void>;
}

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key < b.key ? -1 : Number(a.key > b.key);

/**
 * Creates a sorter.
 * @param path beginning of the paths of its files.
 * @param keyOf returns the text by which lines are sorted.
 */
export const createSorter = (path: string, keyOf: (line: string) => string): Sorter => {
  let waiting: { readonly key: string; readonly line: string }[] = [];
  let size = 0;
  const runs: string[] = [];

  const writeRun = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const lines = waiting.sort(byKey);
    waiting = [];
    size = 0;
    const run = `${path}.${runs.length}`;
    runs.push(run);
    // A process that was killed has left it.
    await rm(run, { force: true });
    const stream = createWriteStream(run, { flags: 'wx', mode: 0o600 });
    // An error of the stream is thrown when the end is awaited.
    const end = finished(stream);
    end.catch(() => undefined);
    for (const { line } of lines) {
      if (stream.errored !== null) break;
      await Promise.race([writeTo(stream, `${line}\n`), end]);
    }
    stream.end();
    await end;
  };

  const discard = async (): Promise<void> => {
    await Promise.all(runs.map((run) => rm(run, { force: true })));
  };

  let writing = Promise.resolve();
  return {
    discard,
    add: async (line) => {
      waiting.push({ key: keyOf(line), line });
      size += line.length;
      if (size > LARGEST_RUN) writing = writing.then(writeRun);
      await writing;
    },
    async *sorted() {
      await writing;
      if (runs.length === 0) {
        for (const { line } of waiting.sort(byKey)) yield line;
        return;
      }
      await writeRun();
      const heads: { key: string; line: string; readonly rest: AsyncGenerator<string> }[] = [];
      for (const run of runs) {
        const rest = readLines(run);
        const { done, value } = await rest.next();
        if (!done) heads.push({ key: keyOf(value), line: value, rest });
      }
      heads.sort(byKey);
      for (;;) {
        const [head] = heads;
        if (head === undefined) break;
        yield head.line;
        const { done, value } = await head.rest.next();
        if (done) {
          heads.shift();
          continue;
        }
        head.line = value;
        head.key = keyOf(value);
        // The head moves behind those that precede it now.
        for (let place = 0; ; place += 1) {
          const next = heads[place + 1];
          if (next === undefined || next.key >= head.key) break;
          heads[place] = next;
          heads[place + 1] = head;
        }
      }
      await discard();
    },
  };
};
