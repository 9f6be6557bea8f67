import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
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

/** Keeps the connections to the engine open, because a test file reads its stream up to thousands of times. */
const agent = new Agent({ keepAlive: true });

/** Sends a request to the stream API of an engine. @throws Error if the engine rejects it. */
const request = async <O extends keyof Responses>(
  endpoint: string,
  operation: O,
  body: object,
): Promise<Responses[O]> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sendRequest(endpoint, {
      agent,
      method: 'POST',
      headers: { ...headers, 'x-amz-target': `DynamoDBStreams_20120810.${operation}` },
    })
      .on('response', resolve)
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  const content = await text(response);
  if (response.statusCode !== 200) throw new Error(`${operation}: ${content}`);
  return JSON.parse(content) as Responses[O];
};

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
