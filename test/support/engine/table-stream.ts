import type { DynamoDBRecord } from 'aws-lambda';
import type { TestEngine } from './engine.ts';

interface Answers {
  readonly ListStreams: { readonly Streams: readonly { readonly StreamArn: string }[] };
  readonly DescribeStream: { readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] } };
  readonly GetShardIterator: { readonly ShardIterator: string };
  readonly GetRecords: { readonly Records: readonly DynamoDBRecord[]; readonly NextShardIterator: string };
}

/** Neither engine that tests run on checks a signature; both want one to be there. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** Follows a table's stream from now on. The embedded engine keeps one shard for a table. */
export const followStream = async ({ endpoint, tableName }: Pick<TestEngine, 'endpoint' | 'tableName'>) => {
  const ask = async <O extends keyof Answers>(operation: O, body: object): Promise<Answers[O]> => {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { ...headers, 'x-amz-target': `DynamoDBStreams_20120810.${operation}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${operation}: ${await answer.text()}`);
    return (await answer.json()) as Answers[O];
  };
  const [stream] = (await ask('ListStreams', { TableName: tableName })).Streams;
  const { StreamDescription } = await ask('DescribeStream', { StreamArn: stream?.StreamArn });
  let { ShardIterator: iterator } = await ask('GetShardIterator', {
    StreamArn: stream?.StreamArn,
    ShardId: StreamDescription.Shards.at(-1)?.ShardId,
    ShardIteratorType: 'LATEST',
  });

  return {
    /** Everything since the last time, or since the beginning. */
    sinceLast: async (): Promise<readonly DynamoDBRecord[]> => {
      const records: DynamoDBRecord[] = [];
      for (;;) {
        const { Records, NextShardIterator } = await ask('GetRecords', { ShardIterator: iterator });
        iterator = NextShardIterator;
        if (Records.length === 0) return records;
        records.push(...Records);
      }
    },
  };
};
