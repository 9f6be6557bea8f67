import { listIndexKey } from '../blob/blob-keys.ts';
import { openSigned } from '../lib/signed-request.ts';
import { decodeSnapshot } from '../list-index/snapshot.ts';
import { type Logger, messages } from '../logging/log.ts';
import { readService } from '../runtime/environment.ts';
import type { Snapshots } from '../store/list-index/list-index-store.ts';
import { unpack } from './packing.ts';

/** How a snapshot is asked for at the bucket. */
const snapshotObject = (bucket: string, organization: string) => ({
  host: `${bucket}.s3`,
  path: `/${listIndexKey(organization)}`,
  pathPrefix: `/${bucket}`,
});

/** A list that waits longer reads the rows themselves. */
const READ_MILLISECONDS = 3_000;
/** Nobody waits for a snapshot, but an instance that has answered stands still: what it asks for has to be sent before. */
const ASK_MILLISECONDS = 1_000;

interface Where {
  readonly BUCKET_NAME: string;
  readonly LIST_INDEX_SNAPSHOTS_FUNCTION: string;
}

/** What becomes of a snapshot decides about time only: whatever fails is noted, and the list does without. */
export const openSnapshots =
  ({ BUCKET_NAME: bucket, LIST_INDEX_SNAPSHOTS_FUNCTION: functionName }: Where) =>
  (logger: Logger): Snapshots => {
    const objects = openSigned('s3', readService('S3'));
    const functions = openSigned('lambda', readService('LAMBDA'));
    return {
      read: async ({ name, externalId }) => {
        try {
          const object = await objects({ method: 'GET', ...snapshotObject(bucket, name) }, READ_MILLISECONDS);
          const bytes = await unpack(object);
          const snapshot = bytes && decodeSnapshot(bytes);
          // The name may have been given again since.
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
          const path = `/2015-03-31/functions/${functionName}/invocations`;
          const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' };
          const body = JSON.stringify({ organization, unusable });
          await functions({ method: 'POST', host: 'lambda', path, headers, body }, ASK_MILLISECONDS);
        } catch (error) {
          logger.warn(messages.SNAPSHOT_REQUEST_FAILED, { organization, error: error as Error });
        }
      },
    };
  };

/** @throws Error when the bucket does not answer. */
export const openSnapshotRemoval = (bucket: string): ((organization: string) => Promise<void>) => {
  const objects = openSigned('s3', readService('S3'));
  return async (organization) => {
    await objects({ method: 'DELETE', ...snapshotObject(bucket, organization) }, READ_MILLISECONDS);
  };
};
