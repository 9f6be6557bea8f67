import { createHash } from 'node:crypto';
import { mapWithConcurrency } from '../../../../shared/lib/concurrency.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import { Failure, usageError } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { InventoryWriter, NotCarried, Source, SourceVersion, WorkspaceFilter } from '../source.ts';
import { checkSize, type Facts, type LockInfo, type Problem, readContent, requireNewer } from './content.ts';
import { type LockTable, openLockTable } from './lock-table.ts';
import { openNames, type Place, toName } from './names.ts';
import { type Bucket, type ListedObject, type ObjectVersion, openBucket, parsePlace } from './s3-bucket.ts';
import { LOCK_SUFFIX, lockedInBucket, openStateLocks, type StateLocks } from './s3-locks.ts';
import { openRequests, regionOf, toFailure } from './s3-requests.ts';

const SCHEME = 's3://';

/** Arguments of the backend that the address may have as parameters, and their defaults. */
const defaults = { workspace_key_prefix: 'env:', dynamodb_table: '' };

/** Bucket with states, and the part of it that is imported. */
interface StateBucket {
  readonly name: string;
  /** Beginning of the keys, or a whole key. Empty: all. */
  readonly prefix: string;
  /** Beginning of the keys of other workspaces than the default one. */
  readonly workspacePrefix: string;
  readonly bucket: Bucket;
  readonly locks: StateLocks;
  readonly table: LockTable | undefined;
}

/** Reads an address: `s3://BUCKET/PREFIX?workspace_key_prefix=…&dynamodb_table=…`. @throws Failure `usage`. */
const parseAddress = (address: string) => {
  const [place = '', query = ''] = address.slice(SCHEME.length).split(/\?(.*)/s);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const unknown = Object.keys(parameters).find((name) => !Object.hasOwn(defaults, name));
  if (unknown !== undefined) {
    throw usageError(
      `An address of S3 has no parameter "${unknown}".`,
      `Known are ${Object.keys(defaults).join(', ')}.`,
    );
  }
  const { workspace_key_prefix: workspacePrefix, dynamodb_table: table } = { ...defaults, ...parameters };
  if (workspacePrefix === '') throw usageError('workspace_key_prefix is empty. Leave it out for the default one.');
  return { ...parsePlace(place), workspacePrefix: workspacePrefix.replace(/\/+$/, ''), table };
};

/** Returns the place of a state by its key. @returns undefined for a key outside of the part that is imported. */
const toPlace = ({ prefix, workspacePrefix }: StateBucket, key: string): Place | undefined => {
  const isWithin = (path: string): boolean => prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
  const [, workspace, rest = ''] = key.startsWith(`${workspacePrefix}/`)
    ? (/^([^/]+)\/(.+)$/s.exec(key.slice(workspacePrefix.length + 1)) ?? [])
    : [];
  const path = workspace === undefined ? key : rest;
  if (!isWithin(key) && !isWithin(path)) return undefined;
  return { path: prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : path, workspace };
};

const nameOf = ({ name, prefix }: StateBucket, place: Place): string => toName(place, prefix.split('/').pop() || name);

/** Yields the objects of the part that is imported, without the markers of folders. */
async function* scan(
  place: StateBucket,
  addNotCarried: InventoryWriter['addNotCarried'],
): AsyncGenerator<ListedObject & { readonly place: Place }> {
  const { bucket, name, prefix } = place;
  const ofWorkspaces = `${place.workspacePrefix}/`;
  const prefixes = prefix.startsWith(ofWorkspaces)
    ? [ofWorkspaces]
    : [prefix, ...(ofWorkspaces.startsWith(prefix) ? [] : [ofWorkspaces])];
  for (const listed of prefixes) {
    try {
      const objects = bucket.list(listed, (reason) =>
        addNotCarried({
          type: 'object-versions',
          name: `${name}/${listed}`,
          reason,
          detail: 'Versions cannot be listed. Only current states are imported.',
        }),
      );
      for await (const object of objects) {
        const found = object.key.endsWith('/') ? undefined : toPlace(place, object.key);
        if (found !== undefined) yield { ...object, place: found };
      }
    } catch (error) {
      const { status } = error instanceof Failure ? error.details : {};
      if (status !== 403 || listed === prefixes[0]) throw error;
      const detail = `States of other workspaces than the default one cannot be listed. ${(error as Failure).message}`;
      await addNotCarried({ type: 'states', name: `${name}/${listed}`, reason: 'not-permitted', detail });
    }
  }
}

/** Bytes at the start of a state that the inventory reads. Most states are smaller. */
const HEAD = 2 ** 16;

/** Reads the start of the current version, or all of it. @returns its facts, as far as they are known, or what it is instead. */
const readHead = async (
  { bucket, name }: StateBucket,
  key: string,
  version: ObjectVersion,
): Promise<Partial<Facts> | Problem> => {
  const { size } = version;
  const response = await bucket.get(key, { ...selectionOf(version, true), first: HEAD });
  if (response === undefined) throw new Failure('conflict', `${key} has changed while ${name} was listed.`);
  const content = Buffer.from(await readAll(response, key));
  if (size <= HEAD) return readContent(content);
  const text = content.toString('latin1');
  const isState = [/^\s*\{/, /"serial"\s*:\s*\d/, /"(version"\s*:\s*\d|encrypted_data"\s*:\s*")/].every((part) =>
    part.test(text),
  );
  return isState ? {} : { reason: 'not-supported', detail: 'This is not a state: it does not start like one.' };
};

const readAll = async (response: Response, place: string): Promise<ArrayBuffer> =>
  response.arrayBuffer().catch((error: unknown) => {
    throw toFailure(error, place);
  });

const ID = '?versionId=';
const ETAG = '&etag=';

/** Identifies a version. Versions of a bucket without versioning have the id `null`, so that the entity tag is a part of it. */
const idOf = (key: string, { id, etag }: ObjectVersion): string =>
  key + ID + id + (id === 'null' ? ETAG + etag.replaceAll('"', '') : '');

const parseId = (text: string): Pick<ObjectVersion, 'id' | 'etag'> & { readonly key: string } => {
  const start = text.lastIndexOf(ID);
  const [id = '', etag = ''] = text.slice(start + ID.length).split(ETAG);
  return { key: text.slice(0, start), id, etag: `"${etag}"` };
};

/** Selects a version. The current one of a bucket without versioning is read without the permission for versions. */
const selectionOf = ({ id, etag }: Pick<ObjectVersion, 'id' | 'etag'>, isCurrent: boolean) =>
  id === 'null' ? { etag, ...(!isCurrent && { versionId: id }) } : { versionId: id };

const ARCHIVED = ['GLACIER', 'DEEP_ARCHIVE'];

/** Returns why a version is not carried, as far as the list of versions shows it. */
const findProblem = ({ isDeleted, size, storageClass, modified }: ObjectVersion): Problem | undefined => {
  if (isDeleted) return { reason: 'no-content', detail: `It was deleted at ${modified}.` };
  if (!ARCHIVED.includes(storageClass)) return checkSize(size);
  return {
    reason: 'not-supported',
    detail: `It is archived (${storageClass}). Restore it with "aws s3api restore-object".`,
  };
};

/** Adds a state with all of its versions. */
const addState = async (
  writer: InventoryWriter,
  {
    name,
    key,
    versions,
    facts,
  }: {
    readonly name: string;
    readonly key: string;
    readonly versions: readonly ObjectVersion[];
    readonly facts: Partial<Facts>;
  },
): Promise<void> => {
  await writer.add('workspaces', { name, project: null, 'execution-mode': 'local', origin: { id: key } });
  const problems = new Map<string, { count: number; readonly problem: Problem }>();
  let position = 0;
  for (const version of [...versions].reverse()) {
    const problem = findProblem(version);
    if (problem !== undefined) {
      const { count } = problems.get(problem.reason) ?? { count: 0 };
      problems.set(problem.reason, { count: count + 1, problem });
      continue;
    }
    position += 1;
    const isCurrent = version === versions[0];
    await writer.add('state-versions', {
      ...{ workspace: name, position, 'is-current': isCurrent, size: version.size, ...(isCurrent && facts) },
      origin: { id: idOf(key, version), 'created-at': version.modified },
    } satisfies SourceVersion);
  }
  for (const { count, problem } of problems.values()) {
    const detail = count === 1 ? problem.detail : `The last of ${count} versions: ${problem.detail}`;
    await writer.addNotCarried({ type: 'state-versions', name: key, ...problem, count, detail });
  }
};

/** Objects without the ending of a state that are no states. */
interface OtherObjects {
  count: number;
  readonly examples: string[];
}

/** States that are read at once. */
const CONCURRENCY = 16;

async function* inBatches<T>(items: AsyncGenerator<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

const readInventory = async (
  { progress }: Io,
  place: StateBucket,
  writer: InventoryWriter,
  includes: WorkspaceFilter,
): Promise<void> => {
  const names = openNames<readonly ObjectVersion[]>(writer, includes);
  const lockFiles = new Set<string>();
  let listed = 0;
  for await (const { key, versions, place: found } of scan(place, writer.addNotCarried)) {
    if (!key.endsWith(LOCK_SUFFIX)) await names.add(key, nameOf(place, found), versions);
    else if (versions[0]?.isDeleted === false) lockFiles.add(key.slice(0, -LOCK_SUFFIX.length));
    listed += 1;
    progress(`${listed} objects listed`);
  }
  const locked: { readonly place: string; readonly lock: LockInfo }[] = [];
  const others: OtherObjects = { count: 0, examples: [] };
  const refuse = async (key: string, versions: readonly ObjectVersion[], problem: Problem): Promise<void> => {
    if (problem.reason === 'not-supported' && !key.endsWith('.tfstate')) {
      others.count += 1;
      if (others.examples.length < 5) others.examples.push(key);
      return;
    }
    const count = versions.length;
    const detail = count === 1 ? problem.detail : `${problem.detail} Its ${count} versions stay in the bucket.`;
    await writer.addNotCarried({ type: 'states', name: key, ...problem, count, detail } satisfies NotCarried);
  };
  for await (const batch of inBatches(names.unique(), CONCURRENCY)) {
    await mapWithConcurrency(batch, CONCURRENCY, async ({ name, place: key, found: versions }) => {
      const [current] = versions;
      if (current === undefined) return;
      const lock = await place.locks.findForeign(key, lockFiles.has(key));
      if (lock !== undefined) return void locked.push({ place: key, lock });
      const facts = findProblem(current) ?? (await readHead(place, key, current));
      if ('reason' in facts) await refuse(key, versions, facts as Problem);
      else await addState(writer, { name, key, versions, facts });
    });
  }
  if (locked.length > 0) throw lockedInBucket(locked.sort((a, b) => (a.place < b.place ? -1 : 1)));
  if (others.count === 0) return;
  const detail = `Objects that are no states, such as ${others.examples.sort().join(', ')}.`;
  const name = `${place.name}/${place.prefix}`;
  await writer.addNotCarried({ type: 'objects', name, reason: 'not-supported', count: others.count, detail });
};

/** Opens the lookup of keys by the names of workspaces. The bucket is listed once. */
const openKeys = (place: StateBucket) => {
  let keys: Promise<ReadonlyMap<string, readonly string[]>> | undefined;
  const list = async () => {
    const found = new Map<string, readonly string[]>();
    for await (const { key, versions, place: of } of scan(place, async () => undefined)) {
      if (key.endsWith(LOCK_SUFFIX) || versions[0]?.isDeleted !== false) continue;
      const name = nameOf(place, of);
      found.set(name, [...(found.get(name) ?? []), key]);
    }
    return found;
  };
  /** @throws Failure `conflict` unless exactly one state leads to the workspace. */
  return async (workspace: string): Promise<string> => {
    keys ??= list();
    const found = (await keys).get(workspace) ?? [];
    if (found[0] !== undefined && found.length === 1) return found[0];
    throw new Failure('conflict', `${place.name} has ${found.length} states of the workspace ${workspace}.`);
  };
};

/** Headers with the encryption of an object, which the next version gets, too. */
const encryptionOf = ({ headers }: Response): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id'].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

/** Replaces a state that is locked. @throws Failure `conflict` if it has become another one. */
const replace = async ({ bucket, name, table }: StateBucket, key: string, content: Buffer): Promise<void> => {
  const response = await bucket.get(key);
  if (response === undefined) throw new Failure('conflict', `${key} does not exist any more. Nothing was written.`);
  const present = Buffer.from(await readAll(response, key));
  if (requireNewer(key, present, content)) {
    const headers = { 'if-match': response.headers.get('etag') ?? '', ...encryptionOf(response) };
    if ((await bucket.put(key, content, headers)) === 'refused') {
      // The response to an attempt that has written the state may be lost.
      const after = await bucket.get(key);
      const isWritten = after !== undefined && Buffer.from(await readAll(after, key)).equals(content);
      if (!isWritten) throw new Failure('conflict', `${key} has changed meanwhile. Nothing was written.`);
    }
  }
  await table?.putDigest(`${name}/${key}`, createHash('md5').update(content).digest('hex'));
};

/**
 * Opens a bucket with states as a source, as the backend `s3` of terraform keeps them.
 * @param address `s3://BUCKET/PREFIX`, with `workspace_key_prefix` and `dynamodb_table` as parameters.
 * @throws Failure `usage` for another address, or without a region.
 */
export const openS3 = async (io: Io, address: string): Promise<Source> => {
  const { bucket: name, prefix, workspacePrefix, table: tableName } = parseAddress(address);
  // The AWS SDK is a part of its own, which other commands do not load.
  const { defaultRegion, domainOf, openAws, openSignedRequests } = await import('../../exec/aws-part.ts');
  const region = await regionOf(io, defaultRegion);
  const requests = openRequests(io, openSignedRequests(io), { name, region, domain: domainOf(region) });
  const bucket = openBucket(name, requests);
  const table = tableName === '' ? undefined : openLockTable(io, openAws(io), region, tableName);
  const locks = openStateLocks(io, { name, bucket, table });
  const place: StateBucket = { name, prefix, workspacePrefix, bucket, locks, table };
  const findKey = openKeys(place);
  /** Workspaces that this process has locked. */
  const held = new Set<string>();
  const acquire = async (workspace: string, reason: string): Promise<void> => {
    await locks.acquire(await findKey(workspace), reason);
    held.add(workspace);
  };
  const release = async (workspace: string, reason: string): Promise<void> => {
    await locks.release(await findKey(workspace), reason);
    held.delete(workspace);
  };
  return {
    origin: { host: name, organization: null },
    organization: toName({ path: name }, name),
    readInventory: (writer, includes) => readInventory(io, place, writer, includes),
    async *download({ origin, size, 'is-current': isCurrent }) {
      const { key, ...version } = parseId(origin.id);
      const response = await bucket.get(key, selectionOf(version, isCurrent));
      if (!response?.body) throw new Failure('conflict', `${origin.id} has changed since it was listed.`);
      let received = 0;
      try {
        for await (const part of response.body) {
          received += part.length;
          yield part;
        }
      } catch (error) {
        io.signal.throwIfAborted();
        throw toFailure(error, origin.id);
      }
      if (received !== size) {
        throw new Failure(
          'failed',
          `The content of ${origin.id} is not complete: ${received} of ${size} bytes have arrived.`,
        );
      }
    },
    locks: { acquire, release },
    push: async (workspace, content) => {
      const write = async (): Promise<void> => replace(place, await findKey(workspace), Buffer.from(content));
      if (held.has(workspace)) return write();
      // Another process has another reason, so that it does not take this lock for its own.
      const reason = `holdfast import writes a state back ${base58(8)}`;
      await acquire(workspace, reason);
      try {
        await write();
      } finally {
        await release(workspace, reason);
      }
    },
  };
};
