import { listMoments, type Timeline } from '../../domain/runs/timeline.ts';
import { timestamp } from '../../lib/clock.ts';

/** Returns the wire name of the time of a status: `plan-queued-at` for `plan_queued`. */
export const statusTimestampName = (status: string): string => `${status.replaceAll('_', '-')}-at`;

/** Returns the time of each status of a timeline, by wire name and in order. */
export const statusTimestamps = <S extends string>(timeline: Timeline<S>): Record<string, string> =>
  Object.fromEntries(
    listMoments(timeline)
      .toSorted((one, other) => one.at - other.at)
      .map(({ status, at }) => [statusTimestampName(status), timestamp(at)]),
  );
