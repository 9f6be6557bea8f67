import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type DynamoDBClientConfig,
  type KeySchemaElement,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { startEngine as startProcess } from '../../../infra/local/dynamodb/engine.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../../shared/store/dynamodb/database.ts';
import { indexes, streamView, tableKeys } from '../../../shared/store/dynamodb/table-definition.ts';
import { MEMORY_FOLDER, memoryFolder } from '../setup/global-setup.ts';
import { callEngine } from './call-engine.ts';

/** A DynamoDB table with its indexes for one test file, on an engine that test files of one process share. */
export interface TestEngine {
  readonly endpoint: string;
  /** Configuration of SDK clients for the engine. */
  readonly client: DynamoDBClientConfig;
  readonly tableName: string;
  readonly database: Database;
  /** Opens another database on the same table, for example through a proxy. */
  readonly open: (options?: Partial<DatabaseOptions>) => Database;
  /** Creates another empty table on the same engine. @returns its name. */
  readonly createTable: () => Promise<string>;
  /** Copies the items of the table to another table on the same engine. The copy ends with the original. */
  readonly copy: () => Promise<TestEngine>;
  readonly stop: () => Promise<void>;
}

interface Keys {
  readonly partitionKey: string;
  readonly sortKey: string;
}

const toKeySchema = ({ partitionKey, sortKey }: Keys): KeySchemaElement[] => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
];

const toAttributes = ({ partitionKey, sortKey }: Keys): AttributeDefinition[] =>
  [partitionKey, sortKey].map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

/** Builds the input of `CreateTable` for the table with its indexes. */
export const tableDefinition = (TableName: string) =>
  ({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [tableKeys, ...Object.values(indexes)].flatMap(toAttributes),
    KeySchema: toKeySchema(tableKeys),
    GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: toKeySchema(index),
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

/**
 * Restores a table to the present: copies its items to a new table, and then turns on the stream, as an operator does after a
 * restore of DynamoDB.
 * @param endpoint of the engine.
 */
export const restoreTable = async (endpoint: string, from: string, to: string): Promise<void> => {
  const client = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const dynamodb = new DynamoDBClient(client);
  const { StreamSpecification, ...definition } = tableDefinition(to);
  await dynamodb.send(new CreateTableCommand(definition));
  await copyItems(endpoint, from, to);
  await dynamodb.send(new UpdateTableCommand({ TableName: to, StreamSpecification }));
  dynamodb.destroy();
};

/** Limit of `BatchWriteItem`. */
const BATCH_SIZE = 25;

/** Page of items as DynamoDB sends and takes them. */
interface Page {
  readonly Items?: readonly object[];
  readonly LastEvaluatedKey?: object;
}

/** Copies all items without converting their values, which would take most of the time. */
const copyItems = async (endpoint: string, from: string, to: string): Promise<void> => {
  let start: object | undefined;
  do {
    const scan = { TableName: from, ConsistentRead: true, ExclusiveStartKey: start };
    const { Items = [], LastEvaluatedKey } = await callEngine<Page>(endpoint, 'DynamoDB_20120810.Scan', scan);
    for (let first = 0; first < Items.length; first += BATCH_SIZE) {
      const puts = Items.slice(first, first + BATCH_SIZE).map((Item) => ({ PutRequest: { Item } }));
      const { UnprocessedItems } = await callEngine<{ readonly UnprocessedItems?: object }>(
        endpoint,
        'DynamoDB_20120810.BatchWriteItem',
        { RequestItems: { [to]: puts } },
      );
      if (Object.keys(UnprocessedItems ?? {}).length > 0)
        throw new Error(`Not all items of ${from} were copied to ${to}`);
    }
    start = LastEvaluatedKey;
  } while (start !== undefined);
};

/**
 * Creates a folder in memory if the system has a memory file system. The engine is as fast on it as with a database in
 * memory, and the indexes of `engine-index.ts` can be added to its file.
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

/** Endpoint of another engine to test with, such as DynamoDB Local. By default, the embedded engine is used. */
export const otherEngine = process.env['HOLDFAST_TEST_ENGINE'];

/** The engine that all test files of a process share. Each file has its own table. The engine ends with the process. */
let shared: ReturnType<typeof startEmbedded> | undefined;

const processEngine = async () => {
  if (otherEngine) return { endpoint: otherEngine, stop: async () => {} };
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
      await copyItems(endpoint, tableName, copied);
      return { ...onTable(copied), stop: async () => {} };
    };
    return { endpoint, client, tableName, database: open(), open, createTable: () => createTable(client), copy, stop };
  };
  return onTable(await createTable(client));
};
