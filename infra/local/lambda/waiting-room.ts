import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '../../../shared/lib/random.ts';

/** Something that waits on disk, under a name that sorts by when it came. */
export interface Waiting<T> {
  readonly name: string;
  readonly value: T;
}

/**
 * A folder of small things that must not be forgotten: each a file of its own, there before whoever brings it is told so
 * and until it is taken away. What the process wrote survives its end, however it ends.
 */
export interface WaitingRoom<T> {
  add(value: T): Waiting<T>;
  /** Keeps what was learnt meanwhile. */
  replace(name: string, value: T): void;
  remove(name: string): void;
  /** What waits, in the order in which it came. */
  all(): Waiting<T>[];
}

const SUFFIX = '.json';

export const openWaitingRoom = <T>(folder: string): WaitingRoom<T> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let last = 0;
  const write = (name: string, value: T): void => {
    const temporary = join(folder, `${name}.writing`);
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
    renameSync(temporary, join(folder, name + SUFFIX));
  };
  return {
    add: (value) => {
      // Microseconds that only grow: two of one moment keep their order.
      last = Math.max(last + 1, Date.now() * 1_000);
      const name = `${last}-${base58(8)}`;
      write(name, value);
      return { name, value };
    },
    replace: write,
    remove: (name) => rmSync(join(folder, name + SUFFIX), { force: true }),
    all: () =>
      readdirSync(folder)
        .filter((file) => file.endsWith(SUFFIX))
        .sort()
        .map((file) => ({
          name: file.slice(0, -SUFFIX.length),
          value: JSON.parse(readFileSync(join(folder, file), 'utf8')) as T,
        })),
  };
};
