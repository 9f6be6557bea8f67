import { all, equals } from '../../domain/changes/conditions.ts';
import { DomainError } from '../../domain/errors.ts';
import { wait } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { backoff, retry, tryAgain } from '../../lib/retry.ts';
import { commit, done, SETTLING, type Table, unguarded } from '../directory/commit.ts';
import { isOpen } from '../directory/directory-items.ts';
import { OPEN, update } from '../directory/record-items.ts';
import { listPartitions, noOrganization } from '../directory/records.ts';
import { ConditionFailed, NoResponse } from '../dynamodb/errors.ts';
import type { Item } from '../dynamodb/item.ts';
import { keys, lists, sortableTime } from '../dynamodb/keys.ts';

/** How far the rows of an organization's index are spread. */
export interface Reshard {
  readonly shards: number;
  /** Rows that this call moved, and those that still lie where they lay with fewer shards: another call goes on. */
  readonly moved: number;
  readonly left: number;
}

/** Rows that are moved side by side: each costs its new partition and its old one a write, beside those of others. */
const CONCURRENCY = 16;
const ATTEMPTS = 5;
const FIRST_PAUSE = 50;
/** A call ends this long before it would be cut off, in milliseconds. */
const MARGIN = 10_000;

/**
 * Spreads an organization's index over more partitions, as each takes 1,000 write units a second where it grows. First
 * the organization says that there are more, so that everybody reads all of them; once no request that read it before
 * can still be under way, its rows are moved. Every step can be repeated, beside any traffic: a row that changes
 * meanwhile is moved as it is then, and one that moves has a newer time, so that lists that know it hear of it.
 */
export const openReshard = ({ database, clock }: Table, settling = SETTLING) => {
  /** @returns since when the organization says so; undefined where nothing is left to be moved. */
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

  /** The rows that lie where they lay with fewer shards: none of the new ones has any. */
  const findMisplaced = async (name: string, shards: number): Promise<Item[]> => {
    const found: Item[] = [];
    await Promise.all(
      listPartitions(name, shards / 2).map(async (partition) => {
        for await (const page of database.pages({ index: 'list', partition })) {
          for (const { pk, sk, id, l, lk } of page) {
            if (lists.workspacesOf(name, String(id), shards) !== l) found.push({ pk, sk, id, l, lk });
          }
        }
      }),
    );
    return found;
  };

  /** @returns whether it lies where it belongs, or nowhere any more. */
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
      // A row that has changed is moved at once.
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
      // Spread further meanwhile, or deleted.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  };

  /**
   * @param remaining how long the call may still take, in milliseconds.
   * @throws DomainError 404; 422 for fewer shards than there are.
   */
  return async (name: string, shards: number, remaining: () => number): Promise<Reshard> => {
    const spreadAt = await raise(name, shards);
    const settled = (spreadAt ?? 0) + settling;
    const isTimeUp = (): boolean => remaining() < MARGIN;
    await wait(Math.max(0, Math.min(settled - clock(), remaining() - MARGIN)));
    let moved = 0;
    let misplaced = await findMisplaced(name, shards);
    if (clock() < settled) return { shards, moved, left: misplaced.length };
    // Another look, until one finds nothing: what was moved is the last that the index may not have heard of.
    while (misplaced.length > 0 && !isTimeUp()) {
      const before = moved;
      await mapWithConcurrency(misplaced, CONCURRENCY, async (row) => {
        if (isTimeUp()) return;
        if (await move(row, lists.workspacesOf(name, String(row['id']), shards))) moved++;
      });
      // Those that came meanwhile are not counted yet, so nothing left is not said.
      if (isTimeUp()) return { shards, moved, left: Math.max(misplaced.length - (moved - before), 1) };
      misplaced = await findMisplaced(name, shards);
    }
    if (misplaced.length === 0 && spreadAt !== undefined) await finish(name, spreadAt);
    return { shards, moved, left: misplaced.length };
  };
};
