import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '../../../shared/lib/random.ts';

/** A queued value. The names of entries sort in the order in which the entries were added. */
export interface QueueEntry<T> {
  readonly name: string;
  readonly value: T;
}

const SUFFIX = '.json';

/**
 * Opens a queue on disk, with one file for each entry, and creates its folder if it does not exist. An entry that was added
 * survives any end of the process.
 */
export const openPersistentQueue = <T>(folder: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let last = 0;
  const write = (name: string, value: T): void => {
    const temporary = join(folder, `${name}.writing`);
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
    renameSync(temporary, join(folder, name + SUFFIX));
  };
  return {
    /** Adds a value. Its file is complete when the call returns. */
    add: (value: T): QueueEntry<T> => {
      // Increasing microseconds: two entries of the same millisecond keep their order.
      last = Math.max(last + 1, Date.now() * 1_000);
      const name = `${last}-${base58(8)}`;
      write(name, value);
      return { name, value };
    },
    /** Replaces the value of an entry, which keeps its place. */
    replace: write,
    remove: (name: string): void => rmSync(join(folder, name + SUFFIX), { force: true }),
    /** Lists the entries in the order in which they were added. */
    all: (): QueueEntry<T>[] =>
      readdirSync(folder)
        .filter((file) => file.endsWith(SUFFIX))
        .sort()
        .map((file) => ({
          name: file.slice(0, -SUFFIX.length),
          value: JSON.parse(readFileSync(join(folder, file), 'utf8')) as T,
        })),
  };
};
