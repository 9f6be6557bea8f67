import { listIndexKey } from '../blob/blob-keys.ts';
import { openSigned } from '../lib/signed-request.ts';
import { decodeSnapshot } from '../list-index/snapshot.ts';
import { type Logger, messages } from '../logging/log.ts';
import { readService } from '../runtime/environment.ts';
import { openStartFunction } from '../runtime/start-function.ts';
import type { Snapshots } from '../store/list-index/list-index-store.ts';
import { unpack } from './packing.ts';

/** Returns the host and path of a snapshot in S3. */
const snapshotObject = (bucket: string, organization: string) => ({
  host: `${bucket}.s3`,
  path: `/${listIndexKey(organization)}`,
  pathPrefix: `/${bucket}`,
});

/** Timeout of a read. After it, the list reads the rows from the table. */
const READ_MILLISECONDS = 3_000;
interface SnapshotSettings {
  readonly BUCKET_NAME: string;
  readonly LIST_INDEX_SNAPSHOTS_FUNCTION: string;
}

/** Opens the snapshots of list indexes. Failures are logged, and the list then reads the table instead. */
export const openSnapshots =
  ({ BUCKET_NAME: bucket, LIST_INDEX_SNAPSHOTS_FUNCTION: functionName }: SnapshotSettings) =>
  (logger: Logger): Snapshots => {
    const objects = openSigned('s3', readService('S3'));
    const start = openStartFunction(functionName);
    return {
      read: async ({ name, externalId }) => {
        try {
          const { content } = await objects({ method: 'GET', ...snapshotObject(bucket, name) }, READ_MILLISECONDS);
          const bytes = await unpack(content);
          const snapshot = bytes && decodeSnapshot(bytes);
          // Another organization may have the name of a deleted one.
          const isOwn = snapshot?.organization === name && snapshot.externalId === externalId;
          if (!isOwn) logger.warn(messages.SNAPSHOT_UNUSABLE, { organization: name });
          return isOwn ? snapshot : undefined;
        } catch (error) {
          logger.warn(messages.SNAPSHOT_UNUSABLE, { organization: name, error: error as Error });
          return undefined;
        }
      },

      request: async (organization, unusable) => {
        try {
          await start({ organization, unusable });
        } catch (error) {
          logger.warn(messages.SNAPSHOT_REQUEST_FAILED, { organization, error: error as Error });
        }
      },
    };
  };

/** Opens the removal of snapshots. The removal throws an error if S3 does not respond. */
export const openSnapshotRemoval = (bucket: string): ((organization: string) => Promise<void>) => {
  const objects = openSigned('s3', readService('S3'));
  return async (organization) => {
    await objects({ method: 'DELETE', ...snapshotObject(bucket, organization) }, READ_MILLISECONDS);
  };
};
