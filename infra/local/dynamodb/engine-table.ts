import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { messageFrom, PlainError } from '../../command-line.ts';
import type { TableDefinition } from '../assembly/assembly.ts';

/** Endpoint, region and credentials of the engine. */
export type EngineConnection = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/**
 * Creates the table of the template, or verifies that the existing table has the same keys and indexes.
 * @returns whether the table was created or found.
 * @throws PlainError when the engine cannot be used, or the existing table has other keys or indexes.
 */
export const ensureTable = async (table: TableDefinition, access: EngineConnection): Promise<'created' | 'found'> => {
  const client = new DynamoDBClient({ ...(access as DynamoDBClientConfig), maxAttempts: 2 });
  try {
    const existing = await describe(client, table.name);
    if (existing) verify(table, existing);
    else await create(client, table);
    await ensureTimeToLive(client, table);
    return existing ? 'found' : 'created';
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw new PlainError(`The DynamoDB at ${access.endpoint} cannot be used: ${messageFrom(error)}`);
  } finally {
    client.destroy();
  }
};

const describe = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

const create = async (client: DynamoDBClient, table: TableDefinition): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName: table.name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...table.attributes],
      KeySchema: [...table.keys],
      ...(table.indexes.length > 0 && {
        GlobalSecondaryIndexes: table.indexes.map(({ IndexName, KeySchema, Projection }) => ({
          IndexName,
          KeySchema: [...KeySchema],
          Projection: {
            ProjectionType: Projection.ProjectionType ?? 'ALL',
            ...(Projection.NonKeyAttributes && { NonKeyAttributes: [...Projection.NonKeyAttributes] }),
          },
        })),
      }),
      ...(table.streamView && { StreamSpecification: { StreamEnabled: true, StreamViewType: table.streamView } }),
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxDelay: 2, maxWaitTime: 60 }, { TableName: table.name });
};

const ensureTimeToLive = async (client: DynamoDBClient, table: TableDefinition): Promise<void> => {
  if (!table.timeToLiveAttribute) return;
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: table.name }));
  if (/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: table.name,
      TimeToLiveSpecification: { Enabled: true, AttributeName: table.timeToLiveAttribute },
    }),
  );
};

const verify = (table: TableDefinition, existing: TableDescription): void => {
  const expected = describeSchema(table.keys, table.indexes);
  const { KeySchema = [], GlobalSecondaryIndexes = [] } = existing;
  const actual = describeSchema(KeySchema as TableDefinition['keys'], GlobalSecondaryIndexes as IndexDefinition[]);
  const differences = [...new Set([...expected.keys(), ...actual.keys()])].filter(
    (part) => expected.get(part) !== actual.get(part),
  );
  if (differences.length === 0) return;
  throw new PlainError(
    `The table ${table.name} was created by another version (${differences.join(', ')} differ): choose another data folder, or move this one away`,
  );
};

type IndexDefinition = TableDefinition['indexes'][number];

/** Describes the keys of the table and the keys and the projection of each index, by name, so that they can be compared. */
const describeSchema = (keys: TableDefinition['keys'], indexes: readonly IndexDefinition[]): Map<string, string> => {
  const describeKeys = (schema: TableDefinition['keys']) =>
    schema.map(({ KeyType, AttributeName }) => `${KeyType} ${AttributeName}`).sort();
  return new Map([
    ['keys', describeKeys(keys).join()],
    ...indexes.map(({ IndexName, KeySchema, Projection }): [string, string] => [
      `index ${IndexName}`,
      [
        ...describeKeys(KeySchema),
        Projection.ProjectionType ?? 'ALL',
        ...[...(Projection.NonKeyAttributes ?? [])].sort(),
      ].join(),
    ]),
  ]);
};
