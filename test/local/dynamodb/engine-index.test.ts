import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished } from 'vitest';
import { startEngine } from '../../../infra/local/dynamodb/engine.ts';
import { indexStreams } from '../../../infra/local/dynamodb/engine-index.ts';

it('the engine uses an index to find the next sequence number of a stream', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-engine-'));
  const database = join(folder, 'dynamodb.db');
  const engine = await startEngine(database);
  onTestFinished(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await client.send(
    new CreateTableCommand({
      TableName: 'streamed',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  await client.send(new PutItemCommand({ TableName: 'streamed', Item: { pk: { S: 'one' } } }));

  const file = new DatabaseSync(database, { readOnly: true });
  const plan = file
    .prepare(
      'EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?',
    )
    .all('streamed');
  expect(file.prepare('SELECT COUNT(*) AS records FROM _stream_records').get()).toEqual({ records: 1 });
  file.close();
  expect(plan).toEqual([
    expect.objectContaining({ detail: expect.stringMatching(/SEARCH .* INDEX holdfast_numbers/) }),
  ]);
});

it('indexStreams ignores a file that is not a database of the engine', () => {
  expect(() => indexStreams(join(tmpdir(), 'no', 'such', 'file.db'))).not.toThrow();
});
