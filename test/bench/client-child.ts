/** Sends one command many times with one of the two clients of DynamoDB, and prints its CPU time. */
import { BatchGetCommand, GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type ClientKind, openDocumentClient } from '../support/engine/client-pair.ts';

const TableName = 'table';
const Key = { pk: 'W#ws-1111111111111111', sk: 'W' };
const update = {
  TableName,
  Key,
  UpdateExpression: 'SET #lock = :lock, #sequence = :sequence, #change = :change',
  ConditionExpression: '#fence = :fence AND attribute_exists(#pk)',
  ExpressionAttributeNames: { '#lock': 'lock', '#sequence': 'seq', '#change': 'chg', '#fence': 'fence', '#pk': 'pk' },
  ExpressionAttributeValues: {
    ':lock': { by: 'user-1111111111111111', reason: 'migrating', at: 1_760_000_000_000 },
    ':sequence': 17,
    ':change': { id: 'evt-1', type: 'workspace.locked', by: 'user-1111111111111111', at: 1_760_000_000_000 },
    ':fence': 4,
  },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
};

const commands = {
  GetItem: () => new GetCommand({ TableName, Key, ConsistentRead: true }),
  'Query of 20 items': () =>
    new QueryCommand({
      TableName,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': 'l' },
      ExpressionAttributeValues: { ':pk': 'ORG#acme#W#0' },
    }),
  UpdateItem: () => new UpdateCommand({ ...update, ReturnValues: 'ALL_NEW' }),
  'BatchGetItem of 3 items': () =>
    new BatchGetCommand({ RequestItems: { table: { Keys: [Key, { pk: 'b', sk: 'b' }, { pk: 'c', sk: 'c' }] } } }),
  'TransactWriteItems of 2 writes': () =>
    new TransactWriteCommand({
      TransactItems: [
        { Update: update },
        {
          Put: {
            TableName,
            Item: { ...Key, ty: 'variable', v: 1, key: 'AWS_REGION', value: 'eu-central-1', hcl: false },
          },
        },
      ],
    }),
} as const;

export type MeasuredCommand = keyof typeof commands;

const { KIND, COMMAND, ENDPOINT = '', CALLS } = process.env;
const client = openDocumentClient(KIND as ClientKind, {
  endpoint: ENDPOINT,
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2_000, throwOnRequestTimeout: true },
});
const send = async (): Promise<void> => {
  for (let call = 0; call < Number(CALLS); call++) {
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
    await client.send(commands[COMMAND as MeasuredCommand]() as any, { abortSignal: AbortSignal.timeout(3_000) });
  }
};
await send();
const before = process.cpuUsage();
await send();
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / Number(CALLS)), () => process.exit());
