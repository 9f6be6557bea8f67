import type { TestEngine } from './engine.ts';

/** An item that a write made, changed or removed. */
export interface Change {
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly pk: string;
  readonly sk: string;
}

/** What was written to a table, from the table's own stream: nothing that writes can keep itself out of it. */
export interface Changes {
  /** Everything since the last time, or since the watch began. */
  readonly sinceLast: () => Promise<readonly Change[]>;
}

interface Answers {
  readonly ListStreams: { readonly Streams: readonly { readonly StreamArn: string }[] };
  readonly DescribeStream: { readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] } };
  readonly GetShardIterator: { readonly ShardIterator: string };
  readonly GetRecords: { readonly Records: readonly StreamRecord[]; readonly NextShardIterator: string };
}

interface StreamRecord {
  readonly eventName: Change['event'];
  readonly dynamodb: { readonly Keys: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } } };
}

/** Neither engine that tests run on checks a signature; both want one to be there. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** Watches from now on. The embedded engine keeps one shard for a table. */
export const watchChanges = async ({ endpoint, tableName }: TestEngine): Promise<Changes> => {
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
    sinceLast: async () => {
      const changes: Change[] = [];
      for (;;) {
        const { Records, NextShardIterator } = await ask('GetRecords', { ShardIterator: iterator });
        iterator = NextShardIterator;
        if (Records.length === 0) return changes;
        changes.push(
          ...Records.map(({ eventName, dynamodb: { Keys } }) => ({
            event: eventName,
            pk: Keys.pk.S,
            sk: Keys.sk.S,
          })),
        );
      }
    },
  };
};
