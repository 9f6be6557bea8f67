import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Database } from './database.ts';
import type { Item, Key } from './keys.ts';
import { queryInput } from './requests.ts';

/** One of `segments` equal parts of the table, which can be read in parallel. */
export interface Segment {
  readonly segment: number;
  readonly segments: number;
  /** Maximum number of items on a page. */
  readonly limit?: number | undefined;
}

/** Strongly consistent reads of items as they are stored, whatever their schema version. */
export interface StoredItems {
  /** Reads one page of a segment, of 1 MB or `limit` items. `next` is the start of the next page, undefined after the last one. */
  page: (segment: Segment, start?: Item) => Promise<{ readonly items: Item[]; readonly next: Item | undefined }>;
  /** Reads the items that exist, in no particular order. */
  getAll: (keys: readonly Key[]) => Promise<Item[]>;
  /** Counts the items of a partition whose sort keys begin with a prefix. */
  count: (partition: string, beginsWith: string) => Promise<number>;
}

/** Opens the reads of items as they are stored, for jobs over the whole table. */
export const openStoredItems = ({
  tableName: TableName,
  getStored,
  sendRead,
}: Pick<Database, 'tableName' | 'getStored' | 'sendRead'>): StoredItems => {
  return {
    page: async ({ segment, segments, limit }, start) => {
      const output = await sendRead(
        new ScanCommand({
          TableName,
          ConsistentRead: true,
          ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
          ...(limit !== undefined && { Limit: limit }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      return { items: output.Items ?? [], next: output.LastEvaluatedKey };
    },

    getAll: getStored,

    count: async (partition, beginsWith) => {
      let count = 0;
      let start: Item | undefined;
      do {
        const input = queryInput(TableName, { partition, beginsWith, consistent: true }, start);
        const output = await sendRead(new QueryCommand({ ...input, Select: 'COUNT' }));
        count += output.Count;
        start = output.LastEvaluatedKey;
      } while (start !== undefined);
      return count;
    },
  };
};
