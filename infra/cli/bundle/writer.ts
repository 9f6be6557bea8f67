import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import {
  FORMAT,
  type Manifest,
  type RecordOf,
  type RecordType,
  recordTypes,
  types,
} from '../../../shared/bundle/types.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { explainFile } from '../explain-file.ts';
import { Failure, usageError } from '../failure.ts';
import { type Io, writeTo } from '../io.ts';
import { canonicalJson, describeKey, encodeName, keyOf } from './canonical.ts';
import { createSorter, type Sorter } from './sorter.ts';

/** Digests of the content of a state version. */
export interface StoredState {
  readonly sha256: string;
  readonly md5: string;
  readonly size: number;
}

/** Facts of a bundle that follow from its content. */
export type Counts = Pick<Manifest, 'counts' | 'state-files' | 'state-bytes'>;

/** Writes a bundle. It has its name once it is complete. */
export interface BundleWriter {
  /** Creates a sorter for lines that are not part of the bundle. */
  readonly createSorter: (name: string, keyOf: (line: string) => string) => Sorter;
  readonly add: <T extends RecordType>(type: T, record: RecordOf<T>) => Promise<void>;
  /** Stores the content of a state version. @returns its digests, which the caller compares with those that it knows. */
  readonly addState: (content: AsyncIterable<Uint8Array>) => Promise<StoredState>;
  /** Completes the bundle. */
  readonly close: (manifest: (counts: Counts) => Manifest) => Promise<Counts>;
  /** Removes what was written, unless the bundle is complete. */
  readonly remove: () => Promise<void>;
}

const STATES = 'states/sha256';

/** Writes a file of text, and computes its SHA-256. */
const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<string> => {
  const hash = createHash('sha256');
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const end = finished(stream);
  end.catch(() => undefined);
  for await (const line of lines) {
    hash.update(`${line}\n`);
    await Promise.race([writeTo(stream, `${line}\n`), end]);
  }
  stream.end();
  await end;
  return hash.digest('hex');
};

/** @throws Failure `usage` if the folder of a new bundle exists. */
export const requireNew = async ({ cwd }: Io, name: string): Promise<void> => {
  if ((await lstat(resolve(cwd, name)).catch(() => undefined)) === undefined) return;
  throw usageError(`${name} exists already.`, 'Name a new folder. A bundle is never changed.');
};

/**
 * Starts a bundle in a new folder.
 * @param name path of the folder, which must not exist.
 * @throws Failure `usage` if it exists.
 */
export const openBundleWriter = async (io: Io, name: string, organization: string): Promise<BundleWriter> => {
  const path = resolve(io.cwd, name);
  await requireNew(io, name);
  const partial = `${path}.${base58(8)}.part`;
  const scratch = join(partial, 'scratch');
  const records = join(partial, 'organizations', encodeName(organization));
  await explainFile(name, async () => {
    await mkdir(dirname(path), { recursive: true });
    await mkdir(partial, { mode: 0o700 });
    for (const folder of [scratch, records, join(partial, STATES)]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
  });
  const sorters = Object.fromEntries(
    recordTypes.map((type) => [
      type,
      createSorter(join(scratch, type), (line) => keyOf(type, JSON.parse(line) as never)),
    ]),
  );
  const counts = Object.fromEntries(recordTypes.map((type) => [type, 0]));
  let downloads = 0;

  /** Yields the lines of a type. @throws Failure `conflict` if two records have one name. */
  async function* unique(type: RecordType): AsyncGenerator<string> {
    let former = '';
    for await (const line of sorters[type]?.sorted() ?? []) {
      io.signal.throwIfAborted();
      const record = JSON.parse(line);
      const key = keyOf(type, record);
      if (key === former) {
        const sentence = `While it was read, two ${types[type].content} had the name "${describeKey(type, record)}".`;
        throw new Failure('conflict', sentence, { hint: 'Run the command again.' });
      }
      former = key;
      counts[type] = (counts[type] ?? 0) + 1;
      yield line;
    }
  }

  const addState = async (content: AsyncIterable<Uint8Array>): Promise<StoredState> => {
    downloads += 1;
    const part = join(scratch, `state-${downloads}`);
    const file = await open(part, 'wx', 0o600);
    const sha256 = createHash('sha256');
    const md5 = createHash('md5');
    let size = 0;
    try {
      for await (const chunk of content) {
        sha256.update(chunk);
        md5.update(chunk);
        size += chunk.length;
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    const digest = sha256.digest('hex');
    // Equal content replaces itself.
    await rename(part, join(partial, STATES, digest));
    return { sha256: digest, md5: md5.digest('hex'), size };
  };

  const close = async (manifestOf: (counts: Counts) => Manifest): Promise<Counts> => {
    const sums = createSorter(join(scratch, 'sums'), (line) => line.slice(66));
    for (const type of recordTypes) {
      const file = `${type}.jsonl`;
      const digest = await writeLines(join(records, file), unique(type));
      await sums.add(`${digest}  organizations/${encodeName(organization)}/${file}`);
    }
    let files = 0;
    let bytes = 0;
    for await (const entry of await opendir(join(partial, STATES))) {
      io.signal.throwIfAborted();
      files += 1;
      bytes += (await lstat(join(partial, STATES, entry.name))).size;
      await sums.add(`${entry.name}  ${STATES}/${entry.name}`);
    }
    const found = { counts, 'state-files': files, 'state-bytes': bytes };
    const text = JSON.stringify(JSON.parse(canonicalJson(manifestOf(found))), null, 2);
    const manifest = (async function* () {
      yield text;
    })();
    await sums.add(`${await writeLines(join(partial, FORMAT.manifest), manifest)}  ${FORMAT.manifest}`);
    await writeLines(join(partial, FORMAT.sums), sums.sorted());
    await rm(scratch, { recursive: true });
    io.signal.throwIfAborted();
    await rename(partial, path);
    return found;
  };

  return {
    createSorter: (purpose, key) => createSorter(join(scratch, purpose), key),
    add: (type, record) => explainFile(name, async () => sorters[type]?.add(canonicalJson(record))),
    addState: (content) => explainFile(name, () => addState(content)),
    close: (manifest) => explainFile(name, () => close(manifest)),
    remove: () => rm(partial, { recursive: true, force: true }),
  };
};
