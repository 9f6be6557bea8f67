import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { LOCAL_ACCOUNT } from '../assembly/template.ts';
import { openWaitingRoom } from '../lambda/waiting-room.ts';

/** One version of an object, or the mark that it was deleted. */
export interface ObjectVersion {
  readonly key: string;
  readonly versionId: string;
  readonly at: number;
  readonly isDeleted: boolean;
  readonly size: number;
  /** MD5 of the content in hexadecimal digits. */
  readonly etag: string;
  readonly contentType?: string;
  /** By names without `x-amz-meta-`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The objects of one bucket, with all their versions, in a folder. */
export interface BucketStore {
  /** Takes the content piece by piece; the version is on disk, and `onCreated` was called, when it resolves. */
  put(
    key: string,
    content: AsyncIterable<Buffer>,
    described: Pick<ObjectVersion, 'contentType' | 'metadata'>,
    mayPut?: (current: ObjectVersion | undefined) => boolean,
  ): Promise<ObjectVersion | undefined>;
  /** A version, the newest where none is named; undefined where there is none. It may be the mark of a deletion. */
  find(key: string, versionId?: string): ObjectVersion | undefined;
  /** Bytes from the first to the last, both included. */
  read(version: ObjectVersion, first: number, last: number): Readable;
  /** Marks the object as deleted, or takes away one version of it for good. */
  remove(key: string, versionId?: string): ObjectVersion | undefined;
  /** Versions of the objects whose keys begin with the prefix: by key, the newest first. */
  versions(prefix: string): ObjectVersion[];
}

/** Beside the folders of keys, whose names never begin so. */
const UPLOADS = '@uploads';
const CHANGE_RECORDS = '@announcements';
const SUFFIX = '.json';

/**
 * @param onCreated is told of each new version once it is on disk: at least once, also when the process ends between.
 */
export const openBucketStore = (folder: string, onCreated: (version: ObjectVersion) => void): BucketStore => {
  const uploads = join(folder, UPLOADS);
  // What was being uploaded when the process ended was not acknowledged.
  rmSync(uploads, { recursive: true, force: true });
  mkdirSync(uploads, { recursive: true, mode: 0o700 });
  const changeRecords = openWaitingRoom<Pick<ObjectVersion, 'key' | 'versionId'>>(join(folder, CHANGE_RECORDS));

  const folderOf = (key: string): string => join(folder, ...key.split('/').map(segmentName));
  const fileOf = ({ key, versionId }: Pick<ObjectVersion, 'key' | 'versionId'>): string =>
    join(folderOf(key), `@${versionId}`);

  /** Ids of the versions of a key, the newest first. */
  const idsOf = (key: string): string[] =>
    namesIn(folderOf(key))
      .filter((name) => name.startsWith('@') && name.endsWith(SUFFIX))
      .map((name) => name.slice(1, -SUFFIX.length))
      .sort()
      .reverse();
  const read = (key: string, versionId: string): ObjectVersion | undefined => {
    try {
      return JSON.parse(readFileSync(fileOf({ key, versionId }) + SUFFIX, 'utf8')) as ObjectVersion;
    } catch {
      return undefined;
    }
  };
  const find: BucketStore['find'] = (key, versionId) => {
    const wanted = versionId ?? idsOf(key)[0];
    // An id is the name of a file: one with a slash in it would lead out of the folder.
    return wanted === undefined || !/^\w+$/.test(wanted) ? undefined : read(key, wanted);
  };

  /** Ids of a key sort by when they were made, whatever the clock does. */
  const nextId = (key: string): string => {
    const [newest = ''] = idsOf(key);
    return `${String(Number.parseInt(newest, 10) + 1 || 1).padStart(8, '0')}v${base58(16)}`;
  };
  /** The version is there from the moment that its description is. */
  const commit = (version: ObjectVersion): void => {
    const file = fileOf(version) + SUFFIX;
    writeFileSync(`${file}.writing`, JSON.stringify(version), { mode: 0o600, flush: true });
    renameSync(`${file}.writing`, file);
  };

  for (const { name, value } of changeRecords.all()) {
    const version = read(value.key, value.versionId);
    if (version) onCreated(version);
    changeRecords.remove(name);
  }

  return {
    find,

    put: async (key, content, described, mayPut = () => true) => {
      const upload = join(uploads, base58(22));
      const md5 = createHash('md5');
      let size = 0;
      try {
        await pipeline(
          Readable.from(content, { objectMode: false }),
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              md5.update(chunk);
              size += chunk.length;
              yield chunk;
            }
          },
          createWriteStream(upload, { mode: 0o600, flush: true }),
        );
        // From here on nothing is waited for, so that no other upload of the key comes between.
        if (!mayPut(find(key))) return undefined;
        mkdirSync(folderOf(key), { recursive: true, mode: 0o700 });
        const versionId = nextId(key);
        const version = {
          key,
          versionId,
          at: Date.now(),
          isDeleted: false,
          size,
          etag: md5.digest('hex'),
          ...described,
        };
        renameSync(upload, fileOf(version));
        const changeRecord = changeRecords.add({ key, versionId });
        commit(version);
        onCreated(version);
        changeRecords.remove(changeRecord.name);
        return version;
      } finally {
        rmSync(upload, { force: true });
      }
    },

    read: (version, first, last) =>
      last < first ? Readable.from([]) : createReadStream(fileOf(version), { start: first, end: last }),

    remove: (key, versionId) => {
      if (versionId === undefined) {
        mkdirSync(folderOf(key), { recursive: true, mode: 0o700 });
        const mark = { key, versionId: nextId(key), at: Date.now(), isDeleted: true, size: 0, etag: '' };
        commit(mark);
        return mark;
      }
      const version = find(key, versionId);
      if (version === undefined) return undefined;
      rmSync(fileOf(version) + SUFFIX, { force: true });
      rmSync(fileOf(version), { force: true });
      removeEmpty(folderOf(key), folder);
      return version;
    },

    versions: (prefix) => {
      // Only folders that can hold such keys are looked into.
      const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const keys = keysBelow(start === '' ? folder : folderOf(start.slice(0, -1)), start).filter((key) =>
        key.startsWith(prefix),
      );
      return keys
        .sort((a, b) => (a < b ? -1 : 1))
        .flatMap((key) => idsOf(key).flatMap((versionId) => read(key, versionId) ?? []));
    },
  };
};

/** A part of a key as the name of a folder: never empty, hidden, or one of those with a meaning of their own. */
const segmentName = (segment: string): string =>
  segment === '' ? '%' : encodeURIComponent(segment).replace(/^\./, '%2E').replaceAll('*', '%2A');
const segmentOf = (name: string): string => (name === '%' ? '' : decodeURIComponent(name));

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const keysBelow = (folder: string, start: string): string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith('@'))
    .flatMap((name) => {
      const [inner, key] = [join(folder, name), start + segmentOf(name)];
      return [key, ...keysBelow(inner, `${key}/`)];
    });

/** Takes away folders that hold nothing any more, upwards. */
const removeEmpty = (folder: string, top: string): void => {
  if (folder === top || namesIn(folder).length > 0) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeEmpty(dirname(folder), top);
};

/** What S3 tells EventBridge of a new object (`detail` of `Object Created`). */
export const objectCreated = (bucket: string, { key, versionId, size, etag }: ObjectVersion): object => ({
  version: '0',
  bucket: { name: bucket },
  object: { key, size, etag, 'version-id': versionId, sequencer: versionId },
  'request-id': base58(16),
  requester: LOCAL_ACCOUNT,
  reason: 'PutObject',
});
