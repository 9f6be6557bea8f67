import type { DynamoDBRecord } from 'aws-lambda';
import type { TestEngine } from './engine.ts';

interface Responses {
  readonly ListStreams: { readonly Streams: readonly { readonly StreamArn: string }[] };
  readonly DescribeStream: { readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] } };
  readonly GetShardIterator: { readonly ShardIterator: string };
  readonly GetRecords: { readonly Records: readonly DynamoDBRecord[]; readonly NextShardIterator: string };
}

/** The engines require a signature but do not verify it. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** Reads the stream of a table from now on. The embedded engine has one shard for each table. */
export const followStream = async ({ endpoint, tableName }: Pick<TestEngine, 'endpoint' | 'tableName'>) => {
  const request = async <O extends keyof Responses>(operation: O, body: object): Promise<Responses[O]> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { ...headers, 'x-amz-target': `DynamoDBStreams_20120810.${operation}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
    return (await response.json()) as Responses[O];
  };
  const [stream] = (await request('ListStreams', { TableName: tableName })).Streams;
  const { StreamDescription } = await request('DescribeStream', { StreamArn: stream?.StreamArn });
  let { ShardIterator: iterator } = await request('GetShardIterator', {
    StreamArn: stream?.StreamArn,
    ShardId: StreamDescription.Shards.at(-1)?.ShardId,
    ShardIteratorType: 'LATEST',
  });

  return {
    /** Reads the records since the last call. */
    sinceLast: async (): Promise<readonly DynamoDBRecord[]> => {
      const records: DynamoDBRecord[] = [];
      for (;;) {
        const { Records, NextShardIterator } = await request('GetRecords', { ShardIterator: iterator });
        iterator = NextShardIterator;
        if (Records.length === 0) return records;
        records.push(...Records);
      }
    },
  };
};
