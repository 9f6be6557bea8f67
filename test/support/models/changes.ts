import type { TestEngine } from '../engine/engine.ts';
import { followStream } from '../engine/table-stream.ts';

/** An item that a write made, changed or removed. */
export interface Change {
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly pk: string;
  readonly sk: string;
}

/** What was written to a table, from the table's own stream: nothing that writes can keep itself out of it. */
export interface Changes {
  /** Everything since the last time, or since the watch began. */
  readonly sinceLast: () => Promise<readonly Change[]>;
}

/** Watches from now on. */
export const watchChanges = async (engine: TestEngine): Promise<Changes> => {
  const { sinceLast } = await followStream(engine);
  return {
    sinceLast: async () =>
      (await sinceLast()).map(({ eventName, dynamodb: { Keys } = {} }) => ({
        event: eventName as Change['event'],
        pk: String(Keys?.['pk']?.S),
        sk: String(Keys?.['sk']?.S),
      })),
  };
};
