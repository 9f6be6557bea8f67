import type { Context } from 'aws-lambda';
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

/** Result of a retention run. The next run continues with state versions that are left or failed. */
interface RetentionResult {
  readonly deleted: number;
  readonly failed: number;
  readonly isComplete: boolean;
}

/** A run stops this long before its Lambda timeout, in milliseconds. */
const MARGIN = 20_000;
/** Number of workspaces processed concurrently. State versions of one workspace are deleted one after another. */
const CONCURRENCY = 8;

/** Creates the scheduled job that deletes state versions according to data retention policies (RET-7), every day. */
export const retainStates =
  ({ features, retention, dependants, logger }: Retaining) =>
  async (
    _: unknown,
    { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<RetentionResult> => {
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
        // The next run continues with this workspace, because its other versions are likely to fail for the same reason.
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
