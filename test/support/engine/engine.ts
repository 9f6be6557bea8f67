import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeDefinition,
  BatchWriteItemCommand,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type DynamoDBClientConfig,
  type KeySchemaElement,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { startEngine as startProcess } from '../../../infra/local/dynamodb/engine.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../../shared/store/dynamodb/database.ts';
import { indexes, streamView, tableKeys } from '../../../shared/store/dynamodb/table-definition.ts';
import { MEMORY_FOLDER, memoryFolder } from '../setup/global-setup.ts';

/** A DynamoDB of a test file's own, with the table and its indexes in it. */
export interface TestEngine {
  readonly endpoint: string;
  /** What an SDK client needs to talk to it. */
  readonly client: DynamoDBClientConfig;
  readonly tableName: string;
  readonly database: Database;
  /** Another database on the same table, for counting calls or for a proxy between the two. */
  readonly open: (options?: Partial<DatabaseOptions>) => Database;
  /** A new, empty table on the same engine. */
  readonly createTable: () => Promise<string>;
  /** The same engine on another table, with the items that are in this one now. It stops with the first one. */
  readonly copy: () => Promise<TestEngine>;
  readonly stop: () => Promise<void>;
}

interface Keys {
  readonly partitionKey: string;
  readonly sortKey: string;
}

const schemaOf = ({ partitionKey, sortKey }: Keys): KeySchemaElement[] => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
];

const keysOf = ({ partitionKey, sortKey }: Keys): AttributeDefinition[] =>
  [partitionKey, sortKey].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

/** The table with its indexes, as it is created. */
export const tableDefinition = (TableName: string) =>
  ({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [tableKeys, ...Object.values(indexes)].flatMap(keysOf),
    KeySchema: schemaOf(tableKeys),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: schemaOf(index),
      Projection:
        index.projected.length === 0
          ? { ProjectionType: 'KEYS_ONLY' }
          : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projected] },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: streamView },
  }) satisfies CreateTableCommandInput;

const createTable = async (client: DynamoDBClientConfig): Promise<string> => {
  const TableName = `test-${base58(8)}`;
  const dynamodb = new DynamoDBClient(client);
  await dynamodb.send(new CreateTableCommand(tableDefinition(TableName)));
  dynamodb.destroy();
  return TableName;
};

/** What a BatchWriteItem takes. */
const BATCH = 25;

const copyItems = async (client: DynamoDBClientConfig, from: string, to: string): Promise<void> => {
  const dynamodb = new DynamoDBClient(client);
  let start: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const scan = new ScanCommand({ TableName: from, ConsistentRead: true, ExclusiveStartKey: start });
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(scan);
    for (let first = 0; first < Items.length; first += BATCH) {
      const puts = Items.slice(first, first + BATCH).map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [to]: puts } }));
      if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error(`${to} did not take all items of ${from}`);
    }
    start = LastEvaluatedKey;
  } while (start !== undefined);
  dynamodb.destroy();
};

/**
 * A folder in memory, where there is one: the engine is as fast on it as in its own memory, and its file can be given the
 * index without which each record of a stream takes longer than the one before.
 */
export const folderInMemory = (): string =>
  mkdtempSync(join(process.env[MEMORY_FOLDER] ?? memoryFolder, 'holdfast-engine-'));

const startEmbedded = async () => {
  const folder = folderInMemory();
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const { endpoint, stop } = await startProcess(join(folder, 'dynamodb.db'));
  return {
    endpoint,
    stop: async () => {
      await stop();
      remove();
      process.off('exit', remove);
    },
  };
};

/** Another engine to test against, such as DynamoDB Local; the embedded one where it is not set. */
const given = process.env['HOLDFAST_TEST_ENGINE'];

/** The one engine of a process that runs tests: each file has a table of its own, and the engine ends with the process. */
let shared: ReturnType<typeof startEmbedded> | undefined;

const processEngine = async () => {
  if (given) return { endpoint: given, stop: async () => {} };
  if (process.env['VITEST'] === undefined) return startEmbedded();
  shared ??= startEmbedded();
  return { endpoint: (await shared).endpoint, stop: async () => {} };
};

/** Opens an engine with a new, empty table. Outside of tests, `stop` ends the engine. */
export const startEngine = async (): Promise<TestEngine> => {
  const { endpoint, stop } = await processEngine();
  const client = {
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const onTable = (tableName: string): TestEngine => {
    const open: TestEngine['open'] = (options) => openDatabase({ tableName, client, ...options });
    const copy = async () => {
      const copied = await createTable(client);
      await copyItems(client, tableName, copied);
      return { ...onTable(copied), stop: async () => {} };
    };
    return { endpoint, client, tableName, database: open(), open, createTable: () => createTable(client), copy, stop };
  };
  return onTable(await createTable(client));
};
