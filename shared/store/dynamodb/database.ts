import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../../domain/errors.ts';
import { now } from '../../lib/clock.ts';
import { sendInTurn } from '../../lib/read-ahead.ts';
import { backoff, retry, tryAgain } from '../../lib/retry.ts';
import { type CreateClient, DEADLINE, openClient, type Usage } from './client.ts';
import { createCombinedReads } from './combined-reads.ts';
import { type ItemSchemas, itemSchemas, toCurrentVersion } from './item-schemas.ts';
import type { Item, Key } from './keys.ts';
import { requireWritable } from './read-only.ts';
import {
  imageOnFailure,
  type PageOptions,
  type QueryOptions,
  queryInput,
  transactionItem,
  type Write,
} from './requests.ts';
import type { IndexName } from './table-definition.ts';
import { createVersionGuard, sendConverting } from './version-conversion.ts';

/**
 * The table. Items are returned in the schema version of this release, whatever version they are stored in.
 * Every read throws DomainError `unavailable` when DynamoDB does not respond in time, or when an item has a schema
 * version that this release does not read.
 */
export interface Database {
  /** Reads one item. Reads that start together, with the same consistency, travel in one call. */
  get: (key: Key, consistent?: boolean) => Promise<Item | undefined>;
  /** Reads the items that exist, in no particular order, with one call for each 100 keys. */
  getAll: (keys: readonly Key[], consistent?: boolean) => Promise<Item[]>;
  /** Reads all pages of a query. */
  query: (options: QueryOptions) => Promise<Item[]>;
  /** Reads a query page by page, of 1 MB or `limit` items each: for results that are too large for the memory. */
  pages: (options: PageOptions) => AsyncGenerator<Item[]>;
  /** Reads one page of a query. `next` is the start of the next page, undefined after the last one. */
  page: (options: PageOptions, start?: Item) => Promise<{ readonly items: Item[]; readonly next: Item | undefined }>;
  /** Reads the items that exist as they are stored, whatever their schema version. */
  getStored: (keys: readonly Key[]) => Promise<Item[]>;
  /** Name of the table, for `sendRead`. */
  readonly tableName: string;
  /** Sends any read command of the document client, for reads that few functions need, such as `stored-items.ts`. */
  // biome-ignore lint/suspicious/noExplicitAny: the output depends on the command.
  sendRead: (command: unknown) => Promise<any>;
  /** Reads a whole index page by page, with eventual consistency: for jobs that run once a day. */
  scanPages: (index: IndexName) => AsyncGenerator<Item[]>;
  /**
   * Sends one conditional write, once, and gives up after `remaining` milliseconds.
   * @returns the item after an update.
   * @throws ConditionFailed, NoResponse
   */
  write: (write: Write, remaining?: number) => Promise<Item | undefined>;
  /**
   * Sends several conditional writes in one transaction, once.
   * @throws ConditionFailed for the first condition that does not hold; NoResponse
   */
  transact: (writes: readonly Write[], remaining?: number) => Promise<void>;
}

export interface DatabaseOptions {
  readonly tableName: string;
  /** Called with the usage of every call, when it has ended. */
  readonly onCall?: (usage: Usage) => void;
  readonly client?: DynamoDBClientConfig;
  readonly createClient?: CreateClient | undefined;
  /** Schema versions of the items; the versions of this release unless a test replaces them. */
  readonly schemas?: ItemSchemas;
}

/** DynamoDB's limit on the keys of one BatchGetItem. */
const BATCH_KEYS = 100;

type Client = ReturnType<typeof openClient>;

/** Creates the reads of items by key. */
const createGets = (TableName: string, read: Client['read']) => {
  const getOne = async (Key: Key, ConsistentRead: boolean): Promise<Item | undefined> =>
    (await read(new GetCommand({ TableName, Key, ConsistentRead }))).Item;

  const getBatch = async (batch: readonly Key[], consistent: boolean): Promise<Item[]> => {
    const items: Item[] = [];
    let missing: readonly Key[] = batch;
    // DynamoDB leaves keys out when it lacks throughput; they are requested again, a limited number of times.
    const readMissing = async () => {
      const output = await read(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [...missing], ConsistentRead: consistent } } }),
      );
      items.push(...(output.Responses?.[TableName] ?? []));
      missing = output.UnprocessedKeys?.[TableName]?.Keys ?? [];
      return missing.length === 0 ? items : tryAgain;
    };
    return retry(readMissing, {
      attempts: 5,
      pause: backoff(50),
      exhausted: () => unavailable('The service is busy. Try again shortly.'),
    });
  };

  const getBatches = async (keys: readonly Key[], consistent: boolean): Promise<Item[]> => {
    const batches = Array.from({ length: Math.ceil(keys.length / BATCH_KEYS) }, (_, index) =>
      keys.slice(index * BATCH_KEYS, (index + 1) * BATCH_KEYS),
    );
    return (await Promise.all(batches.map((batch) => getBatch(batch, consistent)))).flat();
  };
  return { get: createCombinedReads({ getOne, getBatch: getBatches }), getBatches };
};

/** Creates the function that sends one write that is no part of a transaction. */
const createWriter =
  (TableName: string, write: Client['write']) =>
  async ({ kind, key: Key, item: Item, ...expressions }: Write, remaining: number): Promise<Item | undefined> => {
    const common = { TableName, ...expressions, ...imageOnFailure(expressions) };
    switch (kind) {
      case 'put':
        await write(new PutCommand({ ...common, Item }), remaining);
        return Item;
      case 'update':
        return (await write(new UpdateCommand({ ...common, Key, ReturnValues: 'ALL_NEW' }), remaining)).Attributes;
      case 'delete':
        await write(new DeleteCommand({ ...common, Key }), remaining);
        return undefined;
      case 'check':
        throw new TypeError('A check is part of a transaction');
    }
  };

/**
 * Opens the table.
 * @example
 * const database = openDatabase({ tableName: TABLE_NAME });
 * const item = await database.get(keys.workspace(id), true);
 */
export const openDatabase = ({
  tableName: TableName,
  onCall,
  client,
  createClient,
  schemas = itemSchemas,
}: DatabaseOptions): Database => {
  const { read, write } = openClient({ client, createClient, onCall });
  const guard = createVersionGuard(schemas);
  const current = (items: readonly Item[] = []): Item[] => items.map((item) => toCurrentVersion(item, schemas));

  const { get, getBatches } = createGets(TableName, read);

  const page: Database['page'] = async (options, start) => {
    const output = await sendInTurn(() => read(new QueryCommand(queryInput(TableName, options, start))));
    return { items: current(output.Items), next: output.LastEvaluatedKey };
  };

  const pages: Database['pages'] = async function* (options) {
    let start: Item | undefined;
    do {
      const { items, next } = await page(options, start);
      yield items;
      start = next;
    } while (start !== undefined);
  };

  const sendWrite = createWriter(TableName, write);

  /** Sends writes, and converts the items of other schema versions that stand in their way. */
  const sendAll = <T>(writes: readonly Write[], remaining: number, send: (left: number) => Promise<T>): Promise<T> => {
    const deadline = now() + remaining;
    const left = () => deadline - now();
    return sendConverting(
      writes.length,
      schemas,
      () => send(left()),
      (conversion) => sendWrite(conversion, left()),
    );
  };

  return {
    get: async (key, consistent = false) => {
      const item = await sendInTurn(() => get(key, consistent));
      return item && toCurrentVersion(item, schemas);
    },

    getAll: async (keys, consistent = false) => current(await sendInTurn(() => getBatches(keys, consistent))),

    query: async (options) => {
      const items: Item[] = [];
      for await (const page of pages(options)) items.push(...page);
      return items;
    },
    page,
    pages,

    getStored: (keys) => getBatches(keys, true),
    tableName: TableName,
    sendRead: read,

    async *scanPages(IndexName) {
      let start: Item | undefined;
      do {
        const output = await read(
          new ScanCommand({ TableName, IndexName, ...(start && { ExclusiveStartKey: start }) }),
        );
        yield output.Items ?? [];
        start = output.LastEvaluatedKey;
      } while (start !== undefined);
    },

    write: async (one, remaining = DEADLINE) => {
      requireWritable();
      const guarded = guard(one);
      return sendAll([guarded], remaining, (left) => sendWrite(guarded, left));
    },

    transact: async (writes, remaining = DEADLINE) => {
      requireWritable();
      const guarded = writes.map(guard);
      const TransactItems = guarded.map((one) => transactionItem(TableName, one));
      return sendAll(guarded, remaining, async (left) => {
        await write(new TransactWriteCommand({ TransactItems }), left);
      });
    },
  };
};
