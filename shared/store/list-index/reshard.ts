import { all, equals } from '../../domain/changes/conditions.ts';
import { noOrganization } from '../../domain/directory/transitions/records.ts';
import { DomainError } from '../../domain/errors.ts';
import { wait } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { backoff, retry, tryAgain } from '../../lib/retry.ts';
import { commit, done, type Table, unguarded } from '../directory/records/commit.ts';
import { SETTLING } from '../directory/records/settling.ts';
import { ConditionFailed, NoResponse } from '../dynamodb/errors.ts';
import type { Item } from '../dynamodb/item.ts';
import { keys, listPartition, sortableTime } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { listPartitions } from '../items/index-partitions.ts';
import { OPEN, update } from '../items/record-items.ts';

/** Progress of a reshard. */
export interface Reshard {
  readonly shards: number;
  /** Number of rows that this call moved. */
  readonly moved: number;
  /** Number of rows that are still to be moved by another call. */
  readonly left: number;
}

/** Number of rows that are moved concurrently. Each move writes to the old and to the new partition of the index. */
const CONCURRENCY = 16;
const ATTEMPTS = 5;
const FIRST_PAUSE = 50;
/** A call ends this long before its time limit, in milliseconds. */
const MARGIN = 10_000;

/**
 * Opens the reshard of an organization's list index to more partitions, because each partition accepts only 1,000 write
 * units per second. The new shard count is first written to the organization, so that every reader reads all partitions.
 * The rows are moved once no request that read the previous count can still be running. Every step can be repeated and
 * is safe during other traffic: a row that changes during its move is moved in its new form, and a moved row has a
 * newer time, so that cached list indexes load it again.
 */
export const openReshard = ({ database, clock }: Table, settling = SETTLING) => {
  /** Writes the shard count. @returns the time of the change; undefined if no rows are left to be moved. */
  const raise = (name: string, shards: number): Promise<number | undefined> =>
    commit({ database, clock }, async (now) => {
      const key = keys.organization(name);
      const item = await database.get(key, true);
      if (!isOpen(item)) throw noOrganization();
      const before = Number(item['shards']);
      if (shards < before)
        throw new DomainError('unprocessable', `The organization has ${before} shards, and they only grow.`);
      if (shards === before) return done(item['spreadAt'] as number | undefined);
      const change = { set: { shards, spreadAt: now } };
      return { writes: unguarded([update(key, change, all(OPEN, equals('shards', before)))]), result: now };
    });

  /** Finds the rows in the partitions of the previous shard count that belong in a new partition. */
  const findMisplaced = async (name: string, shards: number): Promise<Item[]> => {
    const found: Item[] = [];
    await Promise.all(
      listPartitions(name, shards / 2).map(async (partition) => {
        for await (const page of database.pages({ index: 'list', partition })) {
          for (const { pk, sk, id, l, lk } of page) {
            if (listPartition.workspacesOf(name, String(id), shards) !== l) found.push({ pk, sk, id, l, lk });
          }
        }
      }),
    );
    return found;
  };

  /** @returns whether the row is in its new partition or no longer exists. */
  const move = async (row: Item, partition: string): Promise<boolean> => {
    const key = { pk: String(row['pk']), sk: String(row['sk']) };
    let image = row;
    const moveOnce = async () => {
      const [l, lk] = [String(image['l']), String(image['lk'])];
      const change = { set: { l: partition, lk: sortableTime(Math.max(clock(), Number(lk) + 1)) } };
      try {
        await database.write(update(key, change, all(equals('l', l), equals('lk', lk))));
        return true;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        if (error.image === undefined || error.image['l'] === partition) return true;
        image = error.image;
        return tryAgain;
      }
    };
    return retry(moveOnce, {
      attempts: ATTEMPTS,
      // A row that changed during its move is retried without a pause.
      pause: (retries, error) => (error === undefined ? 0 : backoff(FIRST_PAUSE)(retries, error)),
      retryOn: (error) => error instanceof NoResponse,
      onExhausted: () => false,
    });
  };

  const finish = async (name: string, spreadAt: number): Promise<void> => {
    try {
      await database.write(
        update(keys.organization(name), { remove: ['spreadAt'] }, all(OPEN, equals('spreadAt', spreadAt))),
      );
    } catch (error) {
      // The organization was changed by another reshard or deleted.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  };

  /**
   * @param remaining returns the remaining time of the call, in milliseconds.
   * @throws DomainError 404; 422 for a lower shard count than the current one.
   */
  return async (name: string, shards: number, remaining: () => number): Promise<Reshard> => {
    const spreadAt = await raise(name, shards);
    const settled = (spreadAt ?? 0) + settling;
    const isTimeUp = (): boolean => remaining() < MARGIN;
    await wait(Math.max(0, Math.min(settled - clock(), remaining() - MARGIN)));
    let moved = 0;
    let misplaced = await findMisplaced(name, shards);
    if (clock() < settled) return { shards, moved, left: misplaced.length };
    // Repeated until no row is found, because the index may return recent changes late.
    while (misplaced.length > 0 && !isTimeUp()) {
      const before = moved;
      await mapWithConcurrency(misplaced, CONCURRENCY, async (row) => {
        if (isTimeUp()) return;
        if (await move(row, listPartition.workspacesOf(name, String(row['id']), shards))) moved++;
      });
      // Rows that appeared during the moves are not counted yet, so at least one is reported as left.
      if (isTimeUp()) return { shards, moved, left: Math.max(misplaced.length - (moved - before), 1) };
      misplaced = await findMisplaced(name, shards);
    }
    if (misplaced.length === 0 && spreadAt !== undefined) await finish(name, spreadAt);
    return { shards, moved, left: misplaced.length };
  };
};
