import type { Features } from '../../shared/domain/editions.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { StateDependantsRemoval } from '../../shared/store/state-versions/state-dependants.ts';
import type { Retained, StateRetention } from '../../shared/store/state-versions/state-retention.ts';

interface Retaining {
  readonly features: Pick<Features, 'retentionPolicies'>;
  readonly retention: StateRetention;
  readonly dependants: Pick<StateDependantsRemoval, 'finishVersion'>;
  readonly logger: Logger;
}

interface Invocation {
  readonly getRemainingTimeInMillis: () => number;
}

/** What a run did; what it did not get to, or what failed, is the next one's. */
interface Done {
  readonly deleted: number;
  readonly failed: number;
  readonly isComplete: boolean;
}

/** A run ends this long before it would be cut off, in milliseconds. */
const MARGIN = 20_000;
/** Number of workspaces whose state versions are deleted at the same time; those of one workspace go one by one. */
const CONCURRENCY = 8;

/** Deletes the state versions that data retention policies let go (RET-7): invoked by a schedule, each day. */
export const retainStates =
  ({ features, retention, dependants, logger }: Retaining) =>
  async (_: unknown, { getRemainingTimeInMillis }: Invocation): Promise<Done> => {
    const done = { deleted: 0, failed: 0, isComplete: true };
    if (!features.retentionPolicies) return done;
    const isTimeUp = (): boolean => {
      if (getRemainingTimeInMillis() >= MARGIN) return false;
      done.isComplete = false;
      return true;
    };

    const retain = async (of: Retained): Promise<void> => {
      try {
        for await (const version of retention.expired(of)) {
          if (isTimeUp()) return;
          if (!(await retention.remove(of, version))) continue;
          done.deleted += 1;
          await dependants.finishVersion(version);
        }
      } catch (error) {
        // Its other versions are the next run's: what stands in the way of one may stand in the way of all.
        done.failed += 1;
        logger.error(messages.RETENTION_FAILED, { workspace: of.workspace.id, error: error as Error });
      }
    };

    for await (const some of retention.retained()) {
      await mapWithConcurrency(some, CONCURRENCY, async (retained) => {
        if (!isTimeUp()) await retain(retained);
      });
      if (isTimeUp()) break;
    }
    logger.info(messages.RETENTION_DONE, done);
    return done;
  };
