import { listIndexKey } from '../../shared/blob/blob-keys.ts';
import type { Bucket } from '../../shared/blob/bucket.ts';
import {
  absent,
  all,
  any,
  below,
  type Change,
  type Condition,
  equals,
} from '../../shared/domain/changes/conditions.ts';
import type { Organization } from '../../shared/domain/directory/records.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { encodeSnapshot } from '../../shared/list-index/snapshot.ts';
import { pack } from '../../shared/list-index-snapshots/packing.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { isOpen, organizationOf } from '../../shared/store/directory/directory-items.ts';
import { OPEN, update } from '../../shared/store/directory/record-items.ts';
import { ConditionFailed, type Database } from '../../shared/store/dynamodb/database.ts';
import { keys } from '../../shared/store/dynamodb/keys.ts';
import { readListIndex, SNAPSHOT_FRESH, SNAPSHOT_ROWS } from '../../shared/store/list-index/list-index-store.ts';

interface Taking {
  readonly database: Database;
  readonly bucket: Pick<Bucket, 'put' | 'remove'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** With more rows than this an organization has snapshots. */
  readonly snapshotRows?: number;
}

/** What it is invoked with. */
interface Asked {
  readonly organization: string;
  /** From when the snapshot is that whoever asks could not use, however new it is. */
  readonly unusable?: number;
}

/** Whoever began longer ago, in milliseconds, was cut off: longer than the function may run. */
const GIVEN_UP = 10 * 60_000;

/**
 * Takes a snapshot of an organization's list index, for the instances that have yet to load it: invoked by one that did,
 * and found none or an old one. Many ask at once, so the first to note that it begins takes it.
 */
export const takeSnapshot = ({ database, bucket, clock, logger, snapshotRows = SNAPSHOT_ROWS }: Taking) => {
  /** @returns whether the condition held. */
  const mark = async ({ name, externalId }: Organization, condition: Condition, change: Change): Promise<boolean> => {
    try {
      const asked = all(OPEN, equals('externalId', externalId), condition);
      await database.write(update(keys.organization(name), change, asked));
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  };

  const take = async (organization: Organization, begunAt: number): Promise<void> => {
    const { name, externalId } = organization;
    const listIndex = await readListIndex(database, organization, begunAt);
    const key = listIndexKey(name);
    const own = equals('snapshotBegunAt', begunAt);
    if (listIndex.size() <= snapshotRows) {
      await mark(organization, own, { remove: ['snapshotAt', 'snapshotBegunAt'] });
      if (organization.snapshotAt !== undefined) await bucket.remove(key);
      return;
    }
    const contents = listIndex.contents();
    const bytes = await pack(encodeSnapshot({ organization: name, externalId, at: begunAt, contents }));
    await bucket.put(key, bytes);
    const isTold = await mark(organization, own, { set: { snapshotAt: begunAt }, remove: ['snapshotBegunAt'] });
    logger.info(messages.SNAPSHOT_TAKEN, { organization: name, rows: listIndex.size(), bytes: bytes.length, isTold });
    if (isTold) return;
    // Deleted meanwhile: whoever did that found nothing in the bucket yet.
    if (!isOpen(await database.get(keys.organization(name), true))) await bucket.remove(key);
  };

  return async ({ organization: name, unusable }: Asked): Promise<void> => {
    const item = await database.get(keys.organization(name), true);
    if (!isOpen(item)) return;
    const organization = organizationOf(item);
    const now = clock();
    const isDue = any(
      absent('snapshotAt'),
      below('snapshotAt', now - SNAPSHOT_FRESH),
      ...(unusable === undefined ? [] : [equals('snapshotAt', unusable)]),
    );
    const isFree = any(absent('snapshotBegunAt'), below('snapshotBegunAt', now - GIVEN_UP));
    if (!(await mark(organization, all(isDue, isFree), { set: { snapshotBegunAt: now } }))) return;
    try {
      await take(organization, now);
    } catch (error) {
      // The next try is to find nothing in its way.
      await mark(organization, equals('snapshotBegunAt', now), { remove: ['snapshotBegunAt'] });
      throw error;
    }
  };
};
