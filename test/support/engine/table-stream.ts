import type { DynamoDBRecord } from 'aws-lambda';
import { callEngine } from './call-engine.ts';
import type { TestEngine } from './engine.ts';

interface Responses {
  readonly ListStreams: { readonly Streams: readonly { readonly StreamArn: string }[] };
  readonly DescribeStream: { readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] } };
  readonly GetShardIterator: { readonly ShardIterator: string };
  readonly GetRecords: { readonly Records: readonly DynamoDBRecord[]; readonly NextShardIterator: string };
}

/** Sends a request to the stream API of an engine. */
const request = <O extends keyof Responses>(endpoint: string, operation: O, body: object): Promise<Responses[O]> =>
  callEngine(endpoint, `DynamoDBStreams_20120810.${operation}`, body);

/** Reads the stream of a table from now on. The embedded engine has one shard for each table. */
export const followStream = async ({ endpoint, tableName }: Pick<TestEngine, 'endpoint' | 'tableName'>) => {
  const [stream] = (await request(endpoint, 'ListStreams', { TableName: tableName })).Streams;
  const { StreamDescription } = await request(endpoint, 'DescribeStream', { StreamArn: stream?.StreamArn });
  const latest = {
    StreamArn: stream?.StreamArn,
    ShardId: StreamDescription.Shards.at(-1)?.ShardId,
    ShardIteratorType: 'LATEST',
  };
  const findEnd = async (): Promise<string> => (await request(endpoint, 'GetShardIterator', latest)).ShardIterator;
  let iterator = await findEnd();

  return {
    /** Skips the records since the last call, without reading them. */
    skip: async (): Promise<void> => {
      iterator = await findEnd();
    },
    /** Reads the records since the last call. */
    sinceLast: async (): Promise<readonly DynamoDBRecord[]> => {
      const records: DynamoDBRecord[] = [];
      for (;;) {
        const { Records, NextShardIterator } = await request(endpoint, 'GetRecords', { ShardIterator: iterator });
        iterator = NextShardIterator;
        if (Records.length === 0) return records;
        records.push(...Records);
      }
    },
  };
};
