import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Attempt, Plan as DirectoryPlan } from '../../../domain/directory/transitions/plan.ts';
import { newEventId } from '../../../lib/random.ts';
import { tryAgain } from '../../../lib/retry.ts';
import { ConditionFailed, NoResponse } from '../../dynamodb/errors.ts';
import { persist, sendWrites, type Table } from '../../dynamodb/retry-writes.ts';
import { effectWrites } from '../../items/directory-writes.ts';
import type { Guarded } from '../../items/record-items.ts';

export type { Table } from '../../dynamodb/retry-writes.ts';

/** The writes of a change, and its result once they are applied. */
export interface Plan<T> {
  readonly writes: readonly Guarded[];
  readonly result: T;
}

/**
 * Plans a change and writes it in one transaction. It starts again if a condition no longer holds or a response was
 * lost. `plan` must therefore use strongly consistent reads and recognize the writes of an earlier attempt.
 * @param plan receives the time in milliseconds, and whether the outcome of an earlier attempt is unknown.
 * @throws DomainError of the plan, of the write whose condition failed, or `unavailable`.
 */
export const commit = <T>(
  { database, clock }: Table,
  plan: (now: number, isInDoubt: boolean) => Promise<Plan<T>>,
): Promise<T> => {
  let isInDoubt = false;
  return persist('directory', clock, async (now, remaining) => {
    const { writes, result } = await plan(now, isInDoubt);
    if (writes.length === 0) return result;
    try {
      const sent = writes.map(({ write }) => write);
      await sendWrites(database, sent, remaining());
      return result;
    } catch (error) {
      if (error instanceof NoResponse) isInDoubt ||= error.mayBeApplied;
      if (!(error instanceof ConditionFailed)) throw error;
      const { rejection, isDoneOnFailure = false } = writes[error.index] ?? {};
      if (rejection !== undefined) throw rejection();
      return isDoneOnFailure ? result : tryAgain;
    }
  });
};

/**
 * Applies a transition of the directory: reads, plans, and writes the plan like `commit`.
 * @param plan reads with strong consistency, and calls the transition.
 */
export const apply = <T>(
  table: Table,
  request: RequestContext,
  plan: (attempt: Attempt<T>) => Promise<DirectoryPlan<T>>,
): Promise<T> => {
  let previous: T | undefined;
  let isFirst = true;
  return commit(table, async (at, isInDoubt) => {
    const attempt = { request, at, isInDoubt, isFirst, previous, newChangeId: newEventId };
    isFirst = false;
    const { effects, result } = await plan(attempt);
    previous = result;
    return { writes: effects.flatMap(effectWrites), result };
  });
};
