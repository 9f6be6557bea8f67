import type { Context } from 'aws-lambda';
import { parseTimestamp } from '../../../shared/domain/timestamps.ts';
import { type Bus, type Entry, splitIntoCalls } from '../../../shared/events/bus.ts';
import type { DeadLetters } from '../../../shared/events/dead-letters.ts';
import { toSnapshotEvent } from '../../../shared/events/outgoing-event.ts';
import type { SnapshotCompletion } from '../../../shared/events/schemas/snapshots.ts';
import { COMMANDS, SNAPSHOTS } from '../../../shared/events/sources.ts';
import { type Clock, timestamp } from '../../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';
import { backoff, retry, tryAgain } from '../../../shared/lib/retry.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import type { ScanPosition, ScanWorkspaces } from '../../../shared/store/workspaces/scan-workspaces.ts';

interface SnapshotDependencies {
  readonly scan: ScanWorkspaces;
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Progress of a snapshot: the detail of the command that continues it. */
interface Progress {
  readonly snapshotAt: string;
  readonly workspaces: number;
  /** Position in the index after which it continues; absent at the beginning. */
  readonly start?: ScanPosition;
}

/** Remaining time below which no page starts, in milliseconds. */
const MARGIN = 60_000;
/** Number of concurrent calls to the bus. */
const CALLS = 4;
/** Attempts to send one call. */
const TRIES = 8;

const isPosition = (value: unknown): value is ScanPosition =>
  typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part === 'string');

/** Reads the detail of a command, which is empty for a new snapshot. @returns undefined if the detail is invalid. */
const readProgress = (detail: unknown, clock: Clock): Progress | undefined => {
  const { snapshotAt = timestamp(clock()), workspaces = 0, start, ...others } = Object(detail);
  const isValid =
    typeof snapshotAt === 'string' &&
    parseTimestamp(snapshotAt) !== undefined &&
    Number.isSafeInteger(workspaces) &&
    (start === undefined || isPosition(start)) &&
    Object.keys(others).length === 0;
  return isValid ? { snapshotAt, workspaces, ...(start && { start }) } : undefined;
};

/**
 * Creates the handler of the command `snapshot` on the bus (HUB-7). It sends one event for each workspace, and a last
 * event that reports the snapshot as complete. Shortly before its timeout, it sends the command that continues the
 * snapshot. Repeated parts of a snapshot do no harm, so Lambda may repeat an invocation.
 */
export const sendSnapshot = ({ scan, bus, deadLetters, clock, logger }: SnapshotDependencies) => {
  const send = (call: readonly Entry[]): Promise<void> => {
    let left = call;
    return retry<void>(
      async () => {
        const outcomes = await bus.send(left);
        const rejected = outcomes.find(({ kind }) => kind === 'rejected');
        if (rejected !== undefined && 'reason' in rejected)
          throw new Error(`The bus rejects an event: ${rejected.reason}`);
        left = left.filter((_, index) => outcomes[index]?.kind !== 'sent');
        return left.length === 0 ? undefined : tryAgain;
      },
      { attempts: TRIES, pause: backoff(100) },
    );
  };

  const entryOf = (type: string, detail: object, source: string): Entry => ({
    ...{ type, source },
    detail: JSON.stringify(detail),
    time: clock(),
  });

  const sendPage = async ({ snapshotAt, workspaces, start }: Progress): Promise<Progress> => {
    const page = await scan(start);
    const entries = page.workspaces.map((workspace) =>
      entryOf('workspace.snapshot', toSnapshotEvent(workspace, snapshotAt), SNAPSHOTS),
    );
    await mapWithConcurrency(
      splitIntoCalls(entries, (entry) => entry),
      CALLS,
      send,
    );
    return { snapshotAt, workspaces: workspaces + entries.length, ...(page.next && { start: page.next }) };
  };

  return async (
    event: unknown,
    { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<void> => {
    let progress = readProgress(Object(event).detail, clock);
    if (progress === undefined) {
      const reason = 'The detail of the command is neither empty nor that of a continued snapshot.';
      await deadLetters({ reason, event });
      return;
    }
    do progress = await sendPage(progress);
    while (progress.start !== undefined && getRemainingTimeInMillis() > MARGIN);

    const { snapshotAt, workspaces, start } = progress;
    const completion: SnapshotCompletion = { version: 1, type: 'snapshot.completed', snapshotAt, workspaces };
    const last =
      start === undefined ? entryOf(completion.type, completion, SNAPSHOTS) : entryOf('snapshot', progress, COMMANDS);
    await send([last]);
    logger.info(messages.HUB_SNAPSHOT_SENT, { snapshotAt, workspaces, isComplete: start === undefined });
  };
};
