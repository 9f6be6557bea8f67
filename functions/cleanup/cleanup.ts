import type { Context } from 'aws-lambda';
import { DomainError } from '../../shared/domain/errors.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { Cleanup } from '../../shared/store/cleanup/cleanup-queue.ts';
import type { ActivityCounter } from '../../shared/store/history/activity-counter.ts';
import type { AutoDestroy } from '../../shared/store/workspaces/auto-destroy.ts';

/** Result of a cleanup run. Failed items are retried by a later run. */
interface CleanupResult {
  /** Number of destroy runs that were requested. */
  readonly requested: number;
  /** Number of deletions that were finished. */
  readonly finished: number;
  readonly failed: number;
}

/** A run stops this long before its Lambda timeout, in milliseconds; the next run continues. */
const MARGIN = 15_000;
/** Delay before a failed deletion is retried, in milliseconds. */
const POSTPONED = 15 * 60_000;

/**
 * Creates the scheduled cleanup, which every minute requests destroy runs that are due, then finishes deletions, and then
 * counts the entries of days.
 */
export const cleanupDue =
  (
    { due, finish, postpone }: Cleanup,
    autoDestroy: Pick<AutoDestroy, 'due' | 'requestRun'>,
    activity: ActivityCounter,
    clock: Clock,
    logger: Logger,
  ) =>
  async (
    _: unknown,
    { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<CleanupResult> => {
    const hasTime = () => getRemainingTimeInMillis() >= MARGIN;
    const cleanedUp = { requested: 0, finished: 0, failed: 0 };
    for await (const key of autoDestroy.due(clock())) {
      if (!hasTime()) break;
      try {
        if (await autoDestroy.requestRun(key)) cleanedUp.requested += 1;
      } catch (error) {
        // The destroy run stays due and is requested again by the next run.
        cleanedUp.failed += 1;
        logger.error(messages.CLEANUP_FAILED, { key, error: error as Error });
      }
    }
    for await (const key of due(clock())) {
      if (!hasTime()) break;
      try {
        await finish(key);
        cleanedUp.finished += 1;
      } catch (error) {
        // The record is in use again and was reopened, so there is nothing to delete.
        if (error instanceof DomainError && error.code === 'conflict') continue;
        cleanedUp.failed += 1;
        logger.error(messages.CLEANUP_FAILED, { key, error: error as Error });
        await postpone(key, clock() + POSTPONED);
      }
    }
    for await (const key of activity.due(clock())) {
      if (!hasTime()) break;
      try {
        await activity.count(key, hasTime);
      } catch (error) {
        // The day stays marked and is counted by the next run.
        cleanedUp.failed += 1;
        logger.error(messages.CLEANUP_FAILED, { key, error: error as Error });
      }
    }
    if (cleanedUp.requested + cleanedUp.finished + cleanedUp.failed > 0) logger.info(messages.CLEANUP_DONE, cleanedUp);
    return cleanedUp;
  };
