import { CALLS } from '../../functions/publish/publish.ts';
import { ENTRIES } from '../../shared/events/bus.ts';
import { STREAM_BATCH } from '../../shared/runtime/stream.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';

/**
 * Simulates the stream of the table and the function `publish`. The stream has a shard for each partition of the table.
 * Lambda invokes the function for one batch of a shard at a time, and polls a shard four times a second
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export const POLL_SECONDS = 0.25;
/** Assumed seconds of a call to the bus, and of an invocation without its calls. */
const CALL_SECONDS = 0.05;
export const OWN_SECONDS = 0.01;

interface PublishLoad {
  /** Changes per second, evenly distributed over the workspaces. */
  readonly rate: number;
  readonly workspaces: number;
  /** Partitions of the table. */
  readonly shards: number;
}

export interface Publishing extends PublishLoad {
  /** Invocations and calls to the bus per second, of all shards. */
  readonly invocations: number;
  readonly calls: number;
  /** Average number of records of an invocation. */
  readonly batch: number;
  /** Longest time in seconds between a change and its event. */
  readonly lag: number;
  /** Whether the lag grows as long as the load lasts. */
  readonly isBehind: boolean;
}

/** Computes the calls and rounds for a batch: a round sends one event of each workspace, several calls at once. */
const callsOf = (workspaces: readonly number[]): { readonly calls: number; readonly rounds: number } => {
  const left = new Map<number, number>();
  for (const workspace of workspaces) left.set(workspace, (left.get(workspace) ?? 0) + 1);
  let [calls, rounds] = [0, 0];
  for (let sent = 1; sent <= Math.max(0, ...left.values()); sent++) {
    const own = Math.ceil([...left.values()].filter((count) => count >= sent).length / ENTRIES);
    calls += own;
    rounds += Math.ceil(own / CALLS);
  }
  return { calls, rounds };
};

/** Simulates a steady load. */
export const measurePublishing = (load: PublishLoad, seconds: number): Publishing => {
  const { rate, workspaces, shards } = load;
  const draw = createSeededRandom(rate + workspaces);
  const queues = Array.from({ length: shards }, (): { at: number; workspace: number }[] => []);
  for (let change = 0; change < rate * seconds; change++) {
    const workspace = Math.floor(draw() * workspaces);
    queues[workspace % shards]?.push({ at: change / rate, workspace });
  }
  let [invocations, calls, records, lag, late] = [0, 0, 0, 0, 0];
  for (const queue of queues) {
    let first = 0;
    for (let now = 0; now < seconds; ) {
      let end = first;
      while (end < queue.length && end - first < STREAM_BATCH && (queue[end]?.at ?? 0) <= now) end++;
      const batch = queue.slice(first, end);
      if (batch.length === 0) {
        now += POLL_SECONDS;
        continue;
      }
      const sent = callsOf(batch.map(({ workspace }) => workspace));
      const done = now + OWN_SECONDS + sent.rounds * CALL_SECONDS;
      const longest = done - (batch[0]?.at ?? 0);
      lag = Math.max(lag, longest);
      if (now < seconds / 2) late = Math.max(late, longest);
      invocations++;
      calls += sent.calls;
      records += batch.length;
      first = end;
      now = Math.max(done, now + POLL_SECONDS);
    }
  }
  return {
    ...load,
    invocations: invocations / seconds,
    calls: calls / seconds,
    batch: records / invocations,
    lag,
    isBehind: lag > 1.5 * late,
  };
};
