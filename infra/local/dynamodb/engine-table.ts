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
import type { TableDefinition } from '../assembly/assembly.ts';
import { messageOf, PlainError } from '../gateway/plain-error.ts';

/** Where the engine is, and how to call it. */
export type EngineAccess = Pick<DynamoDBClientConfig, 'endpoint' | 'region' | 'credentials'>;

/**
 * Creates the table that the template describes, or verifies that the one that is there is the same.
 * @returns whether it was created or found.
 * @throws PlainError when the engine cannot be used, or holds a table of the same name with other keys or indexes.
 */
export const ensureTable = async (table: TableDefinition, access: EngineAccess): Promise<'created' | 'found'> => {
  const client = new DynamoDBClient({ ...(access as DynamoDBClientConfig), maxAttempts: 2 });
  try {
    const held = await describe(client, table.name);
    if (held) verify(table, held);
    else await create(client, table);
    await ensureTimeToLive(client, table);
    return held ? 'found' : 'created';
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw new PlainError(`The DynamoDB at ${access.endpoint} cannot be used: ${messageOf(error)}`);
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

const verify = (table: TableDefinition, held: TableDescription): void => {
  const wanted = shapeOf(table.keys, table.indexes);
  const found = shapeOf(held.KeySchema ?? [], held.GlobalSecondaryIndexes ?? []);
  const differences = [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (part) => wanted.get(part) !== found.get(part),
  );
  if (differences.length === 0) return;
  throw new PlainError(
    `The table ${table.name} was made by another version (${differences.join(', ')} differ): choose another data folder, or move this one away`,
  );
};

interface KeyPart {
  readonly AttributeName?: string | undefined;
  readonly KeyType?: string | undefined;
}

interface IndexShape {
  readonly IndexName?: string | undefined;
  readonly KeySchema?: readonly KeyPart[] | undefined;
  readonly Projection?:
    | { readonly ProjectionType?: string | undefined; readonly NonKeyAttributes?: readonly string[] | undefined }
    | undefined;
}

/** What must agree, by name of the part: the table's keys, and each index's keys and projection. */
const shapeOf = (keys: readonly KeyPart[], indexes: readonly IndexShape[]): Map<string, string> => {
  const spellKeys = (schema: readonly KeyPart[]) =>
    schema.map(({ KeyType, AttributeName }) => `${KeyType} ${AttributeName}`).sort();
  return new Map([
    ['keys', spellKeys(keys).join()],
    ...indexes.map(({ IndexName = '', KeySchema = [], Projection = {} }): [string, string] => [
      `index ${IndexName}`,
      [
        ...spellKeys(KeySchema),
        Projection.ProjectionType ?? 'ALL',
        ...[...(Projection.NonKeyAttributes ?? [])].sort(),
      ].join(),
    ]),
  ]);
};
