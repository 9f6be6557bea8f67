import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
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
import { LOCAL_ACCOUNT } from '../common/arns.ts';
import { openPersistentQueue } from '../common/persistent-queue.ts';

/** A version of an object, or a delete marker. */
export interface ObjectVersion {
  readonly key: string;
  readonly versionId: string;
  /** Time of creation, in milliseconds since the epoch. */
  readonly at: number;
  /** True for a delete marker. */
  readonly isDeleted: boolean;
  readonly size: number;
  /** MD5 of the content in hexadecimal digits. */
  readonly etag: string;
  readonly contentType?: string | undefined;
}

export type BucketStore = ReturnType<typeof openBucketStore>;

/** Folders next to the object folders. The name of an object folder never starts with `@`. */
const UPLOADS = '@uploads';
const PENDING_NOTIFICATIONS = '@announcements';
const SUFFIX = '.json';

/** Opens the files of the versions of objects: the content, and the description, with which a version exists. */
const openVersionFiles = (folder: string) => {
  const objectFolder = (key: string): string => join(folder, ...key.split('/').map(encodeSegment));
  const contentFile = ({ key, versionId }: Pick<ObjectVersion, 'key' | 'versionId'>): string =>
    join(objectFolder(key), `@${versionId}`);

  /** Lists the ids of the versions of an object, the newest first. */
  const versionIds = (key: string): string[] =>
    listFolder(objectFolder(key))
      .filter((name) => name.startsWith('@') && name.endsWith(SUFFIX))
      .map((name) => name.slice(1, -SUFFIX.length))
      .sort()
      .reverse();
  const read = (key: string, versionId: string): ObjectVersion | undefined => {
    try {
      return JSON.parse(readFileSync(contentFile({ key, versionId }) + SUFFIX, 'utf8')) as ObjectVersion;
    } catch {
      return undefined;
    }
  };
  const find = (key: string, versionId?: string): ObjectVersion | undefined => {
    const id = versionId ?? versionIds(key)[0];
    // The id becomes a file name. With a slash, it could name a file outside the folder.
    return id === undefined || !/^\w+$/.test(id) ? undefined : read(key, id);
  };

  /** Creates the next version id of an object. The ids sort in the order of creation and do not depend on the clock. */
  const nextId = (key: string): string => {
    const [newest = ''] = versionIds(key);
    return `${String(Number.parseInt(newest, 10) + 1 || 1).padStart(8, '0')}v${base58(16)}`;
  };
  /** Writes the description of a version. From then on, the version exists. */
  const commit = (version: ObjectVersion): void => {
    const file = contentFile(version) + SUFFIX;
    writeFileSync(`${file}.writing`, JSON.stringify(version), { mode: 0o600, flush: true });
    renameSync(`${file}.writing`, file);
  };

  return { objectFolder, contentFile, versionIds, read, find, nextId, commit };
};

/**
 * Opens the objects of a bucket, with all their versions, in a folder.
 * @param onCreated called for each new version after it is on disk: at least once, even if the process ends in between.
 */
export const openBucketStore = (folder: string, onCreated: (version: ObjectVersion) => void) => {
  const uploads = join(folder, UPLOADS);
  // Uploads that were in progress when the process ended were not acknowledged.
  rmSync(uploads, { recursive: true, force: true });
  mkdirSync(uploads, { recursive: true, mode: 0o700 });
  const pending = openPersistentQueue<Pick<ObjectVersion, 'key' | 'versionId'>>(join(folder, PENDING_NOTIFICATIONS));

  const { objectFolder, contentFile, versionIds, read, find, nextId, commit } = openVersionFiles(folder);

  for (const { name, value } of pending.all()) {
    const version = read(value.key, value.versionId);
    if (version) onCreated(version);
    pending.remove(name);
  }

  return {
    /** Finds a version, by default the newest one. It may be a delete marker. */
    find,

    /**
     * Stores a new version. When the promise resolves, the version is on disk and `onCreated` has been called.
     * @param check called with the newest version once the content has arrived. It throws if that must not be replaced.
     */
    put: async (
      key: string,
      content: AsyncIterable<Buffer>,
      contentType: string | undefined,
      check: (newest: ObjectVersion | undefined) => void = () => undefined,
    ): Promise<ObjectVersion> => {
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
        // No `await` from here on, so that no other upload of the same key can interfere.
        check(find(key));
        mkdirSync(objectFolder(key), { recursive: true, mode: 0o700 });
        const versionId = nextId(key);
        const etag = md5.digest('hex');
        const version = { key, versionId, at: Date.now(), isDeleted: false, size, etag, contentType };
        renameSync(upload, contentFile(version));
        const notification = pending.add({ key, versionId });
        commit(version);
        onCreated(version);
        pending.remove(notification.name);
        return version;
      } finally {
        rmSync(upload, { force: true });
      }
    },

    /** Reads the content of a version. @param end position of the last byte; absent: all of it. */
    read: (version: ObjectVersion, end?: number) =>
      createReadStream(contentFile(version), end === undefined ? {} : { end }),

    /** Adds a delete marker, or permanently deletes one version. */
    remove: (key: string, versionId?: string): ObjectVersion | undefined => {
      if (versionId === undefined) {
        mkdirSync(objectFolder(key), { recursive: true, mode: 0o700 });
        const marker = { key, versionId: nextId(key), at: Date.now(), isDeleted: true, size: 0, etag: '' };
        commit(marker);
        return marker;
      }
      const version = find(key, versionId);
      if (version === undefined) return undefined;
      rmSync(contentFile(version) + SUFFIX, { force: true });
      rmSync(contentFile(version), { force: true });
      removeEmptyFolders(objectFolder(key), folder);
      return version;
    },

    /** Lists the versions of the objects with a key prefix: by key, the newest version first. */
    versions: (prefix: string): ObjectVersion[] => {
      // Only the folders that can contain such keys are read.
      const start = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const keys = listKeys(start === '' ? folder : objectFolder(start.slice(0, -1)), start).filter((key) =>
        key.startsWith(prefix),
      );
      return keys
        .sort((a, b) => (a < b ? -1 : 1))
        .flatMap((key) => versionIds(key).flatMap((versionId) => read(key, versionId) ?? []));
    },
  };
};

/** Converts a segment of a key to the name of a folder: never empty, never hidden, and never a special name. */
const encodeSegment = (segment: string): string =>
  segment === '' ? '%' : encodeURIComponent(segment).replace(/^\./, '%2E').replaceAll('*', '%2A');
const decodeSegment = (name: string): string => (name === '%' ? '' : decodeURIComponent(name));

const listFolder = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

const listKeys = (folder: string, start: string): string[] =>
  listFolder(folder)
    .filter((name) => !name.startsWith('@'))
    .flatMap((name) => {
      const [subfolder, key] = [join(folder, name), start + decodeSegment(name)];
      return [key, ...listKeys(subfolder, `${key}/`)];
    });

/** Removes a folder and its parents up to `top` as long as they are empty. */
const removeEmptyFolders = (folder: string, top: string): void => {
  if (folder === top || listFolder(folder).length > 0) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeEmptyFolders(dirname(folder), top);
};

/** Creates the detail of the event `Object Created` that S3 sends to EventBridge. */
export const objectCreatedDetail = (bucket: string, { key, versionId, size, etag }: ObjectVersion): object => ({
  version: '0',
  bucket: { name: bucket },
  object: { key, size, etag, 'version-id': versionId, sequencer: versionId },
  'request-id': base58(16),
  requester: LOCAL_ACCOUNT,
  reason: 'PutObject',
});
