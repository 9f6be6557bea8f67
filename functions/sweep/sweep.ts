import type { Clock } from '../../shared/clock.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { type Logger, messages } from '../../shared/observe/log.ts';
import type { Sweep } from '../../shared/store/sweep.ts';

/** What a run did; what failed is tried again later. */
interface Swept {
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

/** Finishes the deletions that are due: invoked by a schedule, each minute. */
export const sweepDue =
  ({ due, finish, postpone }: Sweep, clock: Clock, logger: Logger) =>
  async (_: unknown, { getRemainingTimeInMillis }: Invocation): Promise<Swept> => {
    const swept = { finished: 0, failed: 0 };
    for await (const key of due(clock())) {
      if (getRemainingTimeInMillis() < MARGIN) break;
      try {
        await finish(key);
        swept.finished += 1;
      } catch (error) {
        // In use after all: it was opened again, and nothing is left to be done.
        if (error instanceof DomainError && error.code === 'conflict') continue;
        swept.failed += 1;
        logger.error(messages.SWEEP_FAILED, { key, error: error as Error });
        await postpone(key, clock() + POSTPONED);
      }
    }
    if (swept.finished + swept.failed > 0) logger.info(messages.SWEEP_DONE, swept);
    return swept;
  };
