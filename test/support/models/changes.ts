import type { TestEngine } from '../engine/engine.ts';
import { followStream } from '../engine/table-stream.ts';

/** One created, modified or removed item. */
export interface Change {
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly pk: string;
  readonly sk: string;
}

/** Writes to a table, from the stream of the table, which contains every write. */
export interface Changes {
  /** Returns the changes since the previous call, or since the watch started. */
  readonly sinceLast: () => Promise<readonly Change[]>;
  /** Skips the changes since the previous call. */
  readonly skip: () => Promise<void>;
}

/** Starts to watch the writes to the table of an engine. */
export const watchChanges = async (engine: TestEngine): Promise<Changes> => {
  const { sinceLast, skip } = await followStream(engine);
  return {
    skip,
    sinceLast: async () =>
      (await sinceLast()).map(({ eventName, dynamodb: { Keys } = {} }) => ({
        event: eventName as Change['event'],
        pk: String(Keys?.['pk']?.S),
        sk: String(Keys?.['sk']?.S),
      })),
  };
};
