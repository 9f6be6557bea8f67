import { DomainError } from '../../shared/domain/errors.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { Cleanup } from '../../shared/store/cleanup/cleanup-queue.ts';
import type { AutoDestroy } from '../../shared/store/workspaces/auto-destroy.ts';

/** What a run did; what failed is tried again later. */
interface CleanupResult {
  /** Destroy runs that were asked for. */
  readonly asked: number;
  readonly finished: number;
  readonly failed: number;
}

/** A run ends this long before it would be cut off, in milliseconds; the next one goes on. */
const MARGIN = 15_000;
/** What failed is come back to after this long, in milliseconds. */
const POSTPONED = 15 * 60_000;

interface Invocation {
  readonly getRemainingTimeInMillis: () => number;
}

/** Asks for the destroy runs that are due, then finishes deletions: invoked by a schedule, each minute. */
export const cleanupDue =
  (
    { due, finish, postpone }: Cleanup,
    autoDestroy: Pick<AutoDestroy, 'due' | 'requestRun'>,
    clock: Clock,
    logger: Logger,
  ) =>
  async (_: unknown, { getRemainingTimeInMillis }: Invocation): Promise<CleanupResult> => {
    const cleanedUp = { asked: 0, finished: 0, failed: 0 };
    for await (const key of autoDestroy.due(clock())) {
      if (getRemainingTimeInMillis() < MARGIN) break;
      try {
        if (await autoDestroy.requestRun(key)) cleanedUp.asked += 1;
      } catch (error) {
        // It is still due the next minute; what is due after it is asked for now.
        cleanedUp.failed += 1;
        logger.error(messages.CLEANUP_FAILED, { key, error: error as Error });
      }
    }
    for await (const key of due(clock())) {
      if (getRemainingTimeInMillis() < MARGIN) break;
      try {
        await finish(key);
        cleanedUp.finished += 1;
      } catch (error) {
        // In use after all: it was opened again, and nothing is left to be done.
        if (error instanceof DomainError && error.code === 'conflict') continue;
        cleanedUp.failed += 1;
        logger.error(messages.CLEANUP_FAILED, { key, error: error as Error });
        await postpone(key, clock() + POSTPONED);
      }
    }
    if (cleanedUp.asked + cleanedUp.finished + cleanedUp.failed > 0) logger.info(messages.CLEANUP_DONE, cleanedUp);
    return cleanedUp;
  };
