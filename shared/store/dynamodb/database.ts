import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { unavailable } from '../../domain/errors.ts';
import { backoff, retry, tryAgain } from '../../lib/retry.ts';
import { isTransientError } from '../../lib/transient-errors.ts';
import type { Expressions } from './expressions.ts';
import type { Key } from './keys.ts';
import { type IndexName, indexes, tableKeys } from './table-definition.ts';

/** An item as the table holds it. */
export type Item = Readonly<Record<string, unknown>>;

/** One call to DynamoDB: the round it belongs to, and the units it took. */
export interface Usage {
  /** Calls of one round run side by side; a call of round 2 waited for one of round 1. */
  readonly round: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A condition did not hold; nothing was written. `image` is the item as it was, undefined when there was none. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  // Private, so that no log that writes out an error's properties shows what is in the table.
  readonly #image: Item | undefined;
  /** Which write of a transaction it was; 0 for a single write. */
  readonly index: number;

  constructor(image: Item | undefined, index = 0) {
    super('The condition of a write does not hold');
    this.#image = image;
    this.index = index;
  }

  get image(): Item | undefined {
    return this.#image;
  }
}

/** No answer, or one that says to come back. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** False where DynamoDB said that it did not even try: throttled, or another transaction was in the way. */
  readonly mayBeApplied: boolean;

  constructor(message: string, { mayBeApplied = true, cause }: { mayBeApplied?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.mayBeApplied = mayBeApplied;
  }
}

export interface Write extends Expressions {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly key: Key;
  /** The whole item, for `put`. */
  readonly item?: Item;
}

interface QueryOptions {
  readonly index?: IndexName;
  readonly partition: string;
  /** Only sort keys that begin with this. */
  readonly beginsWith?: string;
  /** Only sort keys from this one on. */
  readonly from?: string;
  /** Only sort keys up to this one. */
  readonly until?: string;
  readonly consistent?: boolean;
  /** From the greatest sort key down. */
  readonly descending?: boolean;
  /** Nothing but these attributes of each item: as many units, and a shorter answer. */
  readonly only?: readonly string[];
}

interface PageOptions extends QueryOptions {
  /** Items on a page, at most. */
  readonly limit?: number;
}

export interface Database {
  get: (key: Key, consistent?: boolean) => Promise<Item | undefined>;
  /** All items of the keys that exist, in no particular order. At most 100 keys a call are asked for; more are split. */
  getAll: (keys: readonly Key[], consistent?: boolean) => Promise<Item[]>;
  /** All pages of a query. */
  query: (options: QueryOptions) => Promise<Item[]>;
  /** The same page by page, of 1 MB or `limit` items each: what is too much for the memory at once. */
  pages: (options: PageOptions) => AsyncGenerator<Item[]>;
  /** One page of a query, and from where the next one goes on; undefined after the last. */
  page: (options: PageOptions, start?: Item) => Promise<{ readonly items: Item[]; readonly next: Item | undefined }>;
  /** The whole table, page by page: for the checker alone. */
  scan: () => AsyncGenerator<Item>;
  /** A whole index, page by page, as it was a moment ago: for what is done once a day. */
  scanPages: (index: IndexName) => AsyncGenerator<Item[]>;
  /**
   * One conditional write, sent once, and given up after `remaining` milliseconds.
   * @returns the item after an update.
   * @throws ConditionFailed, Unanswered
   */
  write: (write: Write, remaining?: number) => Promise<Item | undefined>;
  /**
   * Several conditional writes, all or none, sent once.
   * @throws ConditionFailed (of the first that does not hold), Unanswered
   */
  transact: (writes: readonly Write[], remaining?: number) => Promise<void>;
}

/** One try, so that a lost connection leaves time for another. */
const REQUEST_MILLISECONDS = 2_000;
/** A read with all its tries. Two rounds of reads and a write with its own deadline end before a function is cut off. */
const READ_MILLISECONDS = 3_000;
/** A write that has not succeeded after this long is given up: stamps older than that never land. */
export const DEADLINE = 8_000;
const BATCH = 100;

/** Turned away before anything was tried. */
const untried = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
]);

// The document client leaves items inside errors as they came over the wire.
const imageOf = (item: unknown): Item | undefined =>
  item === undefined || Object.keys(item as object).length === 0 ? undefined : unmarshall(item as never);

const failureOf = (error: unknown): unknown => {
  if (error instanceof ConditionalCheckFailedException) return new ConditionFailed(imageOf(error.Item));
  if (error instanceof TransactionCanceledException) {
    const reasons: readonly CancellationReason[] = error.CancellationReasons ?? [];
    const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
    if (index >= 0) return new ConditionFailed(imageOf(reasons[index]?.Item), index);
    const bug = reasons.find(({ Code }) => Code === 'ValidationError');
    if (bug === undefined) return new Unanswered(error.message, { mayBeApplied: false, cause: error });
  }
  if (!isTransientError(error)) return error;
  const { name, message } = error;
  return new Unanswered(message, { mayBeApplied: !untried.has(name), cause: error });
};

interface Consumed {
  readonly CapacityUnits?: number | undefined;
}

export interface DatabaseOptions {
  readonly tableName: string;
  /** Told of every call, when it is answered. */
  readonly onCall?: (usage: Usage) => void;
  readonly client?: DynamoDBClientConfig;
}

/** A condition that fails brings the image that refused it. */
const imageOnFailure = ({ ConditionExpression }: Expressions) =>
  ConditionExpression === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };

type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const transactionItem = (TableName: string, { kind, key: Key, item: Item, ...expressions }: Write): TransactionItem => {
  const shared = { TableName, ...expressions, ...imageOnFailure(expressions) };
  switch (kind) {
    case 'put':
      return { Put: { ...shared, Item } };
    case 'update':
      return { Update: { UpdateExpression: '', ...shared, Key } };
    case 'delete':
      return { Delete: { ...shared, Key } };
    case 'check':
      return { ConditionCheck: { ConditionExpression: '', ...shared, Key } };
  }
};

/** The one condition that a query may have on the sort key. */
const rangeOf = (bounds: readonly string[]): string | undefined => {
  if (bounds.includes(':prefix')) return 'begins_with(#sk, :prefix)';
  if (bounds.length === 2) return '#sk BETWEEN :from AND :until';
  return { ':from': '#sk >= :from', ':until': '#sk <= :until' }[bounds[0] ?? ''];
};

export const openDatabase = ({ tableName, onCall, client }: DatabaseOptions): Database => {
  const configuration: DynamoDBClientConfig = {
    requestHandler: { connectionTimeout: 500, requestTimeout: REQUEST_MILLISECONDS, throwOnRequestTimeout: true },
    ...client,
  };
  const marshallOptions = { removeUndefinedValues: true };
  const reader = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 3, ...configuration }), {
    marshallOptions,
  });
  // A write is stamped anew before each try, so it is never the SDK that tries again.
  const writer = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1, ...configuration }), {
    marshallOptions,
  });

  let answered = 0;
  /** Sends a command, and tells what it took; `kind` says so, as names of classes do not survive minifying. */
  const send = async (
    kind: 'read' | 'write',
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
    command: any,
    milliseconds: number,
    // biome-ignore lint/suspicious/noExplicitAny: nor have their outputs.
  ): Promise<any> => {
    const round = answered + 1;
    command.input.ReturnConsumedCapacity = 'TOTAL';
    const abortSignal = AbortSignal.timeout(Math.max(1, Math.min(milliseconds, DEADLINE)));
    let units = 0;
    try {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      const output: any = await (kind === 'read' ? reader : writer).send(command, { abortSignal });
      units = [output.ConsumedCapacity ?? []]
        .flat()
        .reduce((sum: number, { CapacityUnits = 0 }: Consumed) => sum + CapacityUnits, 0);
      return output;
    } finally {
      answered = Math.max(answered, round);
      onCall?.({
        round,
        readUnits: kind === 'read' ? units : 0,
        writeUnits: kind === 'write' ? units : 0,
      });
    }
  };

  const read = async (command: unknown) => {
    try {
      return await send('read', command, READ_MILLISECONDS);
    } catch (error) {
      throw isTransientError(error) ? unavailable('The service is busy. Try again shortly.', error) : error;
    }
  };
  const write = async (command: unknown, remaining = DEADLINE) => {
    try {
      return await send('write', command, remaining);
    } catch (error) {
      throw failureOf(error);
    }
  };

  const TableName = tableName;
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
      onExhausted: () => {
        throw unavailable('The service is busy. Try again shortly.');
      },
    });
  };

  const page: Database['page'] = async (
    { index, partition, beginsWith, from, until, consistent = false, descending = false, only = [], limit },
    start,
  ) => {
    const { partitionKey, sortKey } = index === undefined ? tableKeys : indexes[index];
    const bounds = Object.entries({ ':prefix': beginsWith, ':from': from, ':until': until }).filter(
      ([, bound]) => bound !== undefined,
    );
    const range = rangeOf(bounds.map(([name]) => name));
    const output = await read(
      new QueryCommand({
        TableName,
        ...(index !== undefined && { IndexName: index }),
        KeyConditionExpression: range === undefined ? '#pk = :pk' : `#pk = :pk AND ${range}`,
        ExpressionAttributeNames: {
          '#pk': partitionKey,
          ...(range !== undefined && { '#sk': sortKey }),
          ...Object.fromEntries(only.map((attribute, place) => [`#o${place}`, attribute])),
        },
        ...(only.length > 0 && { ProjectionExpression: only.map((_, place) => `#o${place}`).join() }),
        ExpressionAttributeValues: { ':pk': partition, ...Object.fromEntries(bounds) },
        ConsistentRead: consistent,
        ...(descending && { ScanIndexForward: false }),
        ...(limit !== undefined && { Limit: limit }),
        ...(start !== undefined && { ExclusiveStartKey: start }),
      }),
    );
    return { items: output.Items ?? [], next: output.LastEvaluatedKey };
  };

  const pages: Database['pages'] = async function* (options) {
    let start: Item | undefined;
    do {
      const { items, next } = await page(options, start);
      yield items;
      start = next;
    } while (start !== undefined);
  };

  return {
    get: async (Key, consistent = false) =>
      (await read(new GetCommand({ TableName, Key, ConsistentRead: consistent }))).Item,

    getAll: async (keys, consistent = false) => {
      const batches = Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) =>
        keys.slice(index * BATCH, (index + 1) * BATCH),
      );
      return (await Promise.all(batches.map((batch) => getBatch(batch, consistent)))).flat();
    },

    query: async (options) => {
      const items: Item[] = [];
      for await (const page of pages(options)) items.push(...page);
      return items;
    },
    page,
    pages,

    async *scan() {
      let start: Record<string, unknown> | undefined;
      do {
        const output = await read(
          new ScanCommand({ TableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }),
        );
        yield* output.Items ?? [];
        start = output.LastEvaluatedKey;
      } while (start !== undefined);
    },

    async *scanPages(IndexName) {
      let start: Record<string, unknown> | undefined;
      do {
        const output = await read(
          new ScanCommand({ TableName, IndexName, ...(start && { ExclusiveStartKey: start }) }),
        );
        yield output.Items ?? [];
        start = output.LastEvaluatedKey;
      } while (start !== undefined);
    },

    write: async ({ kind, key: Key, item: Item = {}, ...expressions }, remaining) => {
      const shared = { TableName, ...expressions, ...imageOnFailure(expressions) };
      switch (kind) {
        case 'put':
          await write(new PutCommand({ ...shared, Item }), remaining);
          return Item;
        case 'update':
          return (await write(new UpdateCommand({ ...shared, Key, ReturnValues: 'ALL_NEW' }), remaining)).Attributes;
        case 'delete':
          await write(new DeleteCommand({ ...shared, Key }), remaining);
          return undefined;
        case 'check':
          throw new TypeError('A check is part of a transaction');
      }
    },

    transact: async (writes, remaining) => {
      const TransactItems = writes.map((one) => transactionItem(TableName, one));
      await write(new TransactWriteCommand({ TransactItems }), remaining);
    },
  };
};
