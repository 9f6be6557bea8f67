import { listIndexKey } from '../../shared/blob/blob-keys.ts';
import type { Bucket } from '../../shared/blob/bucket.ts';
import { encodeSnapshot } from '../../shared/list-index/snapshot.ts';
import { pack } from '../../shared/list-index-snapshots/packing.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { SNAPSHOT_ROWS } from '../../shared/store/list-index/list-index-store.ts';
import type { SnapshotJob, SnapshotJobs } from '../../shared/store/list-index/snapshot-jobs.ts';

interface Dependencies {
  readonly jobs: SnapshotJobs;
  readonly bucket: Pick<Bucket, 'put' | 'remove'>;
  readonly logger: Logger;
  /** Number of rows above which an organization has snapshots. */
  readonly snapshotRows?: number;
}

/** The payload of an invocation. */
interface SnapshotRequest {
  readonly organization: string;
  /** Time of the existing snapshot, where the requesting instance could not use it. */
  readonly unusable?: number;
}

/**
 * Creates a snapshot of an organization's list index, for the instances that have yet to load it. It is invoked by an
 * instance that found no snapshot, or an old one (INDEX-8).
 */
export const takeSnapshot = ({ jobs, bucket, logger, snapshotRows = SNAPSHOT_ROWS }: Dependencies) => {
  const create = async (job: SnapshotJob): Promise<void> => {
    const { organization, begunAt } = job;
    const { name, externalId } = organization;
    const listIndex = await jobs.readRows(job);
    const key = listIndexKey(name);
    if (listIndex.size() <= snapshotRows) {
      await jobs.clear(job);
      if (organization.snapshotAt !== undefined) await bucket.remove(key);
      return;
    }
    const contents = listIndex.contents();
    const bytes = await pack(encodeSnapshot({ organization: name, externalId, at: begunAt, contents }));
    await bucket.put(key, bytes);
    const isRecorded = await jobs.complete(job);
    logger.info(messages.SNAPSHOT_CREATED, {
      organization: name,
      rows: listIndex.size(),
      bytes: bytes.length,
      isRecorded,
    });
    // An organization that was deleted meanwhile had no snapshot in the bucket that the deletion could have removed.
    if (!isRecorded && !(await jobs.hasOrganization(job))) await bucket.remove(key);
  };

  return async ({ organization, unusable }: SnapshotRequest): Promise<void> => {
    const job = await jobs.begin(organization, unusable);
    if (job === undefined) return;
    try {
      await create(job);
    } catch (error) {
      await jobs.cancel(job);
      throw error;
    }
  };
};
