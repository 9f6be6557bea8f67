import { RECORDS } from '../../functions/record-history/record.ts';
import { STREAM_BATCH, STREAM_PARALLELISM } from '../../shared/runtime/stream.ts';
import { listPartition, shardOf } from '../../shared/store/dynamodb/keys.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import { recordedChange } from './demand.ts';
import { limits, type Part, type Request, simulate } from './partitions.ts';
import { OWN_SECONDS, POLL_SECONDS } from './stream.ts';

/** Simulates what the history writes while many changes of one organization are made, and how far it is behind them. */

const ORGANIZATION = 'acme';
/** Duration of the load. */
const LOAD_SECONDS = 60;
/** Longest simulated time until the last entry is written. */
const MOST_SECONDS = 600;
/** Assumed seconds of a sustained load before DynamoDB splits a hot partition. AWS gives no number. */
const HEAT_SECONDS = 60;
/** Assumed seconds of a write of the history. */
const WRITE_SECONDS = 0.01;
/** Write units of a change of a workspace, and of its row in the list index. */
const CHANGE_UNITS = 2;
/** List index shards of the organization. */
const SHARDS = 8;

interface HistoryLoad {
  readonly name: string;
  /** Changes per second, evenly distributed over the workspaces. */
  readonly rate: number;
  readonly workspaces: number;
  /** Partitions of the table when the load begins. */
  readonly partitions: number;
  /** Whether five minutes of unused capacity are left. */
  readonly hasBurst: boolean;
  /** Fraction of the attempts to write a record that fail and are delivered again. */
  readonly failing: number;
}

/** Result of a load. */
export interface HistoryWrites extends HistoryLoad {
  /** Throttled fraction of the changes. */
  readonly changesThrottled: number;
  /** Throttled fraction of the writes of the history. They are repeated a second later. */
  readonly entriesThrottled: number;
  /** Most write units that one partition key of the audit trail gets in a second, and one history of a workspace. */
  readonly trailUnits: number;
  readonly resourceUnits: number;
  /** Number of changes that were made, and of those with an entry and a pointer in the end. */
  readonly changes: number;
  readonly recorded: number;
  /** Seconds after the end of the load at which the last entry was written. */
  readonly secondsAfter: number;
}

/** Delay of the function that writes the history. */
export interface Recording extends HistoryLoad {
  readonly invocations: number;
  /** Average number of records of an invocation. */
  readonly batch: number;
  /** Records that were delivered more than once, as a fraction of the changes. */
  readonly repeated: number;
  /** Longest time in seconds between a change and its entry. */
  readonly lag: number;
}

interface Change {
  readonly id: string;
  readonly workspace: string;
}

/** Simulates the partitions of the table and of the index `list`, with the changes and the writes of the history. */
export const measureHistoryWrites = (
  load: HistoryLoad,
  workspaces: readonly string[],
  ids: readonly string[],
): HistoryWrites => {
  const { rate, partitions, hasBurst } = load;
  const draw = createSeededRandom(rate);
  const count = { changes: 0, throttled: 0, writes: 0, entriesThrottled: 0, last: 0 };
  const most = { trail: 0, resource: 0 };
  const missing = new Map<Change, number>();
  /** Writes of the history that are due in the next second. */
  let waiting: { readonly change: Change; readonly part: Part }[] = [];

  const makeChange = (id: string): Request => {
    const change: Change = { id, workspace: workspaces[Math.floor(draw() * workspaces.length)] ?? '' };
    const index = listPartition.workspacesOf(ORGANIZATION, change.workspace, SHARDS);
    const units = { writeUnits: CHANGE_UNITS, readUnits: 0, place: 'end' } as const;
    return {
      name: 'change',
      parts: [
        { space: 'table', key: `WS#${change.workspace}`, ...units },
        { space: 'list', key: index, ...units },
      ],
      answered: (isGranted) => {
        if (!isGranted) {
          count.throttled += 1;
          return;
        }
        count.changes += 1;
        const parts = recordedChange(ORGANIZATION, change.workspace, id);
        missing.set(change, parts.length);
        waiting.push(...parts.map((part) => ({ change, part })));
      },
    };
  };

  const requestsAt = function* (second: number): Generator<Request> {
    const due = waiting;
    waiting = [];
    const units = new Map<string, number>();
    for (const { change, part } of due) {
      units.set(part.key, (units.get(part.key) ?? 0) + part.writeUnits);
      yield {
        name: 'entry',
        parts: [part],
        answered: (isGranted) => {
          count.writes += 1;
          if (!isGranted) {
            count.entriesThrottled += 1;
            waiting.push({ change, part });
            return;
          }
          const left = (missing.get(change) ?? 0) - 1;
          if (left === 0) missing.delete(change);
          else missing.set(change, left);
          count.last = second;
        },
      };
    }
    for (const [key, sum] of units) {
      const kind = key.startsWith('AUDIT#') ? 'trail' : 'resource';
      most[kind] = Math.max(most[kind], sum);
    }
    if (second >= LOAD_SECONDS) return;
    for (let index = 0; index < rate; index++) yield makeChange(ids[second * rate + index] ?? '');
  };
  simulate({
    seconds: MOST_SECONDS,
    requestsAt,
    partitions: { table: partitions, list: 4 * SHARDS },
    heatSeconds: HEAT_SECONDS,
    burst: { seconds: limits.burstSeconds, atStart: hasBurst ? limits.burstSeconds : 0 },
  });
  return {
    ...load,
    changesThrottled: count.throttled / (rate * LOAD_SECONDS),
    entriesThrottled: count.entriesThrottled / count.writes,
    trailUnits: most.trail,
    resourceUnits: most.resource,
    changes: count.changes,
    recorded: count.changes - missing.size,
    secondsAfter: Math.max(0, count.last - (LOAD_SECONDS - 1)),
  };
};

interface Record {
  readonly at: number;
  deliveries: number;
}

/**
 * Simulates the invocations of `record-history`. Lambda handles several batches of a shard of the stream at the same time;
 * the records of one item are always in the same one. A batch is delivered again from its first record that failed.
 */
export const measureRecording = (load: HistoryLoad, workspaces: readonly string[]): Recording => {
  const { rate, partitions, failing } = load;
  const draw = createSeededRandom(rate + workspaces.length);
  const lanes = Array.from({ length: partitions * STREAM_PARALLELISM }, (): Record[] => []);
  for (let change = 0; change < rate * LOAD_SECONDS; change++) {
    const workspace = workspaces[Math.floor(draw() * workspaces.length)] ?? '';
    lanes[shardOf(workspace, lanes.length)]?.push({ at: change / rate, deliveries: 0 });
  }
  let [invocations, deliveries, repeated, lag] = [0, 0, 0, 0];
  for (const lane of lanes) {
    let now = 0;
    for (let first = 0; first < lane.length; ) {
      let end = first;
      while (end < lane.length && end - first < STREAM_BATCH && (lane[end]?.at ?? 0) <= now) end++;
      const batch = lane.slice(first, end);
      if (batch.length === 0) {
        now += POLL_SECONDS;
        continue;
      }
      const done = now + OWN_SECONDS + Math.ceil(batch.length / RECORDS) * 2 * WRITE_SECONDS;
      const failures = batch.map(() => draw() < failing);
      const failed = failures.indexOf(true);
      const written = failed < 0 ? batch.length : failed;
      for (const record of batch) {
        record.deliveries += 1;
        if (record.deliveries === 2) repeated += 1;
      }
      for (const { at } of batch.slice(0, written)) lag = Math.max(lag, done - at);
      invocations += 1;
      deliveries += batch.length;
      first += written;
      now = Math.max(done, now + POLL_SECONDS);
    }
  }
  return {
    ...load,
    invocations: invocations / LOAD_SECONDS,
    batch: deliveries / invocations,
    repeated: repeated / (rate * LOAD_SECONDS),
    lag,
  };
};
