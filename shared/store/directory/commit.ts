import type { Clock } from '../../lib/clock.ts';
import { tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import type { Guarded } from './record-items.ts';

/**
 * Longer than a function can run and cache what it has read, and than the index lags behind: what was written by a request that saw a record as it
 * was can then be found. In milliseconds.
 */
export const SETTLING = 30_000;

/** Dependencies of all changes of the directory. */
export interface Table {
  readonly database: Database;
  readonly clock: Clock;
}

/** The writes of a change, and its result once they are applied. */
export interface Plan<T> {
  readonly writes: readonly Guarded[];
  readonly result: T;
}

/** A plan without writes: the change is complete. */
export const done = <T>(result: T): Plan<T> => ({ writes: [], result });

/** Writes without a meaning for the caller: if a condition fails, the change is planned again. */
export const unguarded = (writes: readonly Guarded['write'][]): Guarded[] => writes.map((write) => ({ write }));

/**
 * Reads, plans and writes in one transaction, and does so again when a condition no longer holds or an answer was
 * lost. So `plan` must read strongly, and must recognize what an earlier attempt of its own has already written.
 * @throws DomainError of the plan, of the write whose condition refuses it, or `unavailable`.
 */
export const commit = <T>({ database, clock }: Table, plan: (now: number) => Promise<Plan<T>>): Promise<T> =>
  persist('directory', clock, async (now, remaining) => {
    const { writes, result } = await plan(now);
    if (writes.length === 0) return result;
    try {
      await database.transact(
        writes.map(({ write }) => write),
        remaining(),
      );
      return result;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const refusal = writes[error.index]?.refusal;
      if (refusal !== undefined) throw refusal();
      return tryAgain;
    }
  });
