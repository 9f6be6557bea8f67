import { lstat, mkdtemp, opendir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FORMAT,
  type Manifest,
  type RecordOf,
  type RecordType,
  recordTypes,
  types,
} from '../../../shared/bundle/types.ts';
import { manifest as validManifest, records as validRecords } from '../../../shared/validators/compiled/bundle.js';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { formatSize } from '../output/format.ts';
import { canonicalJson, describeKey, encodeName, keyOf, sortable } from './canonical.ts';
import { hashFile } from './hash.ts';
import { LineError, readLines } from './lines.ts';
import { createSorter } from './sorter.ts';

/** A bundle whose files are complete, as a verification has found them. */
export interface VerifiedBundle {
  readonly manifest: Manifest;
  /** Names of what is missing in it. Empty for a bundle of a whole organization. */
  readonly missing: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/** Creates the failure of a verification. */
const refuse = (message: string, hint?: string): Failure =>
  new Failure('partial', message, { hint: hint ?? 'Do not use this bundle. Copy or export it again.' });

const PATH = /^(bundle\.json|organizations\/[A-Za-z0-9_%-]+\/[a-z-]+\.jsonl|states\/sha256\/[0-9a-f]{64})$/;

/** Yields the files below a folder. @throws Failure `partial` for a symbolic link or a device. */
async function* walk(root: string, below = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(root, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(root, path);
    else if (entry.isFile()) yield path;
    else throw refuse(`${path} is ${entry.isSymbolicLink() ? 'a symbolic link' : 'no regular file'}.`);
  }
}

/** A line of `SHA256SUMS`. */
interface Sum {
  readonly digest: string;
  readonly path: string;
}

/** Yields the lines of `SHA256SUMS` (BUNDLE-3). @throws Failure `partial` for a line or a path that it must not contain. */
export async function* readSums(root: string): AsyncGenerator<Sum> {
  let former = '';
  for await (const line of readLines(join(root, FORMAT.sums))) {
    const [, digest = '', path = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (digest === '')
      throw refuse(`${FORMAT.sums} has a line that is no checksum: ${JSON.stringify(line.slice(0, 80))}`);
    if (!PATH.test(path)) throw refuse(`${FORMAT.sums} names ${JSON.stringify(path)}, which no bundle contains.`);
    if (sortable(path) <= former) throw refuse(`${FORMAT.sums} is not sorted, or names ${path} twice.`);
    former = sortable(path);
    yield { digest, path };
  }
}

/** Compares all files with `SHA256SUMS`. */
const checkSums = async ({ progress, signal }: Io, root: string) => {
  let files = 0;
  let bytes = 0;
  let states = 0;
  for await (const { digest, path } of readSums(root)) {
    signal.throwIfAborted();
    const found = await lstat(join(root, path)).catch(() => undefined);
    if (found?.isFile() !== true) throw refuse(`${path} is missing.`);
    const isState = path.startsWith('states/');
    if (isState && !path.endsWith(digest)) throw refuse(`${path} does not have the name of its checksum.`);
    if ((await hashFile(join(root, path))) !== digest)
      throw refuse(`${path} has other content than ${FORMAT.sums} says.`);
    files += 1;
    bytes += found.size;
    if (isState) states += 1;
    progress(`${files} files, ${formatSize(bytes)}`);
  }
  return { files, bytes, states };
};

/** @throws Failure `partial` for a file that `SHA256SUMS` does not name. */
const findExtra = async (root: string): Promise<void> => {
  const listed = new Set([FORMAT.sums as string]);
  for await (const { path } of readSums(root)) listed.add(path);
  for await (const path of walk(root)) {
    if (!listed.has(path)) throw refuse(`${path} is not in ${FORMAT.sums}.`);
  }
};

/** Reads `bundle.json`. @throws Failure `partial` for another format, or a version that this program does not know. */
export const readManifest = async (root: string): Promise<Manifest> => {
  let value: Manifest;
  try {
    value = JSON.parse(await readFile(join(root, FORMAT.manifest), 'utf8'));
  } catch (cause) {
    throw new Failure('partial', `${FORMAT.manifest} is missing, or is no JSON.`, { cause });
  }
  if (value?.format !== FORMAT.name) throw refuse(`${FORMAT.manifest} is not that of a bundle.`);
  const [major] = String(value.version).split('.');
  if (major !== FORMAT.major) {
    throw refuse(
      `The bundle has version ${value.version} of the format. This program reads version ${FORMAT.major}.`,
      'Use the command line of a newer service.',
    );
  }
  if (!validManifest(value)) throw refuse(`${FORMAT.manifest}: ${describeComplaint(validManifest)}`);
  return value;
};

const describeComplaint = ({ errors }: typeof validManifest): string => {
  const { instancePath = '', keyword = '', params = {} } = errors?.[0] ?? {};
  return `${instancePath || 'the line'} violates the schema (${keyword} ${JSON.stringify(params)}).`;
};

/** Yields the records of a type, with their place for messages. @throws Failure `partial` for a line that is no record. */
async function* readRecords<T extends RecordType>(
  root: string,
  organization: string,
  type: T,
): AsyncGenerator<{ readonly record: RecordOf<T>; readonly place: string }> {
  const file = `organizations/${encodeName(organization)}/${type}.jsonl`;
  const validate = validRecords[type];
  let number = 0;
  let former = '';
  for await (const line of readLines(join(root, file))) {
    number += 1;
    const place = `${file}:${number}`;
    let record: RecordOf<T>;
    try {
      record = JSON.parse(line);
    } catch {
      throw refuse(`${place} is no JSON.`);
    }
    if (!validate(record)) throw refuse(`${place}: ${describeComplaint(validate)}`);
    if (canonicalJson(record) !== line) throw refuse(`${place} is not written as the format requires.`);
    const key = keyOf(type, record);
    if (key === former) throw refuse(`${place} repeats ${describeKey(type, record)}.`);
    if (key < former) throw refuse(`${place} is not sorted: ${describeKey(type, record)} follows a later name.`);
    former = key;
    yield { record, place };
  }
}

const named = [...new Set(recordTypes.flatMap((type) => Object.values(types[type].references ?? {})))] as RecordType[];

/** Returns the names to which a member of a record refers. */
const namesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : [];
};

/** Checks all records: their form, their order, and that what they name exists. @returns what is missing. */
const checkRecords = async (io: Io, root: string, manifest: Manifest, states: number): Promise<readonly string[]> => {
  const { organization } = manifest.source;
  const names = new Map<RecordType, Set<string>>();
  for (const type of named) {
    const found = new Set<string>();
    for await (const { record } of readRecords(root, organization, type)) found.add((record as { name: string }).name);
    names.set(type, found);
  }
  const missing: string[] = [];
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-verify-'));
  try {
    const digests = createSorter(join(scratch, 'states'), (line) => line);
    for (const type of recordTypes) {
      let count = 0;
      const references = Object.entries(types[type].references ?? {}) as [string, RecordType][];
      for await (const { record, place } of readRecords(root, organization, type)) {
        io.signal.throwIfAborted();
        count += 1;
        for (const [member, target] of references) {
          const unknown = namesIn((record as Readonly<Record<string, unknown>>)[member]).find(
            (name) => names.get(target)?.has(name) !== true,
          );
          if (unknown !== undefined) throw refuse(`${place} names "${unknown}", which is not in ${target}.jsonl.`);
        }
        if (type === 'state-versions') await checkState(root, record as RecordOf<'state-versions'>, place, digests.add);
      }
      if (count !== manifest.counts[type]) {
        throw refuse(`${type}.jsonl has ${count} lines, and ${FORMAT.manifest} says ${manifest.counts[type]}.`);
      }
      if (type === 'withheld' && count > 0) missing.push(`${count} withheld (see withheld.jsonl)`);
    }
    let used = 0;
    let former = '';
    for await (const digest of digests.sorted()) {
      if (digest !== former) used += 1;
      former = digest;
    }
    if (used !== states) throw refuse(`There are ${states} states, and the state versions name ${used} of them.`);
    if (used !== manifest['state-files']) {
      throw refuse(`There are ${used} states, and ${FORMAT.manifest} says ${manifest['state-files']}.`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  if (manifest.states !== 'all') missing.push(`--states ${manifest.states}`);
  for (const [name, value] of Object.entries(manifest.filters)) missing.push(`--${name} ${String(value)}`);
  return missing;
};

/** Checks that the content of a state version is there. */
const checkState = async (
  root: string,
  { sha256, size = null }: RecordOf<'state-versions'>,
  place: string,
  add: (digest: string) => Promise<void>,
): Promise<void> => {
  if (sha256 === null) return;
  const found = await lstat(join(root, 'states/sha256', sha256)).catch(() => undefined);
  if (found === undefined) throw refuse(`${place} names the state ${sha256}, which is missing.`);
  if (size !== null && found.size !== size)
    throw refuse(`${place} says ${size} bytes, and the state has ${found.size}.`);
  await add(sha256);
};

/** @throws Failure `usage` unless the path is that of a folder. */
export const requireBundle = async (root: string, name: string): Promise<void> => {
  const found = await lstat(root).catch(() => undefined);
  if (found === undefined) throw new Failure('notFound', `${name} does not exist.`);
  if (!found.isDirectory()) throw usageError(`${name} is no folder.`, 'Unpack an archive first, such as with tar -xf.');
  const sums = await lstat(join(root, FORMAT.sums)).catch(() => undefined);
  if (sums?.isFile() !== true) throw refuse(`${name} has no ${FORMAT.sums}: it is no bundle, or not a complete one.`);
};

/**
 * Verifies a bundle without any service: first all checksums, then the content.
 * @throws Failure `partial` that names the first fault.
 */
export const verifyBundle = async (io: Io, root: string, name: string): Promise<VerifiedBundle> => {
  await requireBundle(root, name);
  try {
    let entries = 0;
    for await (const path of walk(root)) entries += path === FORMAT.sums ? 0 : 1;
    const { files, bytes, states } = await checkSums(io, root);
    if (entries !== files) await findExtra(root);
    const manifest = await readManifest(root);
    return { manifest, missing: await checkRecords(io, root, manifest, states), files, bytes };
  } catch (error) {
    if (error instanceof LineError) throw refuse(error.message);
    const { code, path } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT' ? refuse(`${String(path)} is missing.`) : error;
  }
};
