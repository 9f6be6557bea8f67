import { hostname } from 'node:os';
import { now, timestamp } from '../../../../shared/lib/clock.ts';
import { base58 } from '../../../../shared/lib/random.ts';
import type { Io } from '../../io.ts';
import { type LockInfo, lockedFailure, readLock } from './content.ts';
import type { LockTable } from './lock-table.ts';
import type { Bucket } from './s3-bucket.ts';

/** Ending of the objects with which terraform locks a state. */
export const LOCK_SUFFIX = '.tflock';

/** Operation in the locks of imports. */
const OPERATION = 'holdfast import';

const LOCK_HINT =
  'Wait for the end of the run. If nothing runs, release the lock with "terraform force-unlock" in the folder of its configuration.';

/** Locks of the states in a bucket, as terraform and tofu take them. */
export interface StateLocks {
  /**
   * Finds a lock of somebody else than an import.
   * @param hasFile whether there is an object with a lock.
   */
  readonly findForeign: (key: string, hasFile: boolean) => Promise<LockInfo | undefined>;
  /** Locks a state. @throws Failure `conflict` if it is locked for another reason. */
  readonly acquire: (key: string, reason: string) => Promise<void>;
  /** Releases a lock with this reason. */
  readonly release: (key: string, reason: string) => Promise<void>;
}

/** Creates the failure for states that are locked in a bucket. */
export const lockedInBucket = (locked: Parameters<typeof lockedFailure>[0]) => lockedFailure(locked, LOCK_HINT);

const isOfImport = ({ Operation, Info }: LockInfo, reason: string | undefined = Info): boolean =>
  Operation === OPERATION && Info === reason;

/** Opens the locks of a bucket. @param table the table of locks, if the configurations name one. */
export const openStateLocks = (
  { env }: Io,
  { name, bucket, table }: { readonly name: string; readonly bucket: Bucket; readonly table: LockTable | undefined },
): StateLocks => {
  const idOf = (key: string): string => `${name}/${key}`;
  const readFile = async (key: string): Promise<LockInfo | undefined> => {
    const response = await bucket.get(key + LOCK_SUFFIX);
    return response === undefined ? undefined : readLock(await response.text());
  };
  const readItem = async (key: string): Promise<LockInfo | undefined> => {
    const text = await table?.find(idOf(key));
    return text === undefined ? undefined : readLock(text);
  };
  const describe = (key: string, reason: string): string =>
    JSON.stringify({
      ID: base58(22),
      Operation: OPERATION,
      Info: reason,
      Who: `${env['USER'] || 'holdfast'}@${hostname()}`,
      Version: '',
      Created: timestamp(now()),
      Path: idOf(key),
    } satisfies LockInfo);
  /** @throws Failure `conflict` unless the lock is that of this import. */
  const requireOwn = (key: string, lock: LockInfo = {}, reason: string): void => {
    if (!isOfImport(lock, reason)) throw lockedInBucket([{ place: key, lock }]);
  };

  return {
    findForeign: async (key, hasFile) => {
      const locks = [hasFile ? await readFile(key) : undefined, await readItem(key)];
      return locks.find((lock) => lock !== undefined && !isOfImport(lock));
    },
    acquire: async (key, reason) => {
      const description = describe(key, reason);
      const file = key + LOCK_SUFFIX;
      const isNew = (await bucket.put(file, Buffer.from(description), { 'if-none-match': '*' })) === 'written';
      if (!isNew) requireOwn(key, await readFile(key), reason);
      if (table === undefined) return;
      try {
        if (!(await table.take(idOf(key), description))) requireOwn(key, await readItem(key), reason);
      } catch (error) {
        if (isNew) await bucket.remove(file);
        throw error;
      }
    },
    release: async (key, reason) => {
      const item = await table?.find(idOf(key));
      if (item !== undefined && isOfImport(readLock(item), reason)) await table?.release(idOf(key), item);
      const lock = await readFile(key);
      if (lock !== undefined && isOfImport(lock, reason)) await bucket.remove(key + LOCK_SUFFIX);
    },
  };
};
