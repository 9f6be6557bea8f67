import type { IncomingMessage } from 'node:http';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { LOCAL_REGION, streamArn } from '../common/arns.ts';
import type { EngineConnection } from './engine-table.ts';

/** A record of a stream in the form in which Lambda passes it to functions. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime: number;
    readonly SequenceNumber: string;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

/** The stream of one table. */
export type TableStream = ReturnType<typeof openTableStream>;

/** A shard, and a record, as the API of DynamoDB Streams returns them. */
interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}
interface ApiRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventVersion: string;
  readonly dynamodb: StreamRecord['dynamodb'];
}

/** Opens the stream of a table of the embedded engine or of DynamoDB in AWS. */
export const openTableStream = (table: string, access: EngineConnection) => {
  const { call, close } = openStreamsApi(access);
  let arn: string | undefined;
  const findArn = async (): Promise<string | undefined> => {
    const find = () => call<{ Streams: { StreamArn: string }[] }>('ListStreams', { TableName: table });
    arn ??= (await find()).Streams.at(-1)?.StreamArn;
    return arn;
  };
  const iteratorFor = async (ShardId: string, after: string | undefined): Promise<string> => {
    const position =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
    const input = { StreamArn: await findArn(), ShardId, ...position };
    try {
      return (await call<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator;
    } catch (error) {
      // The stream has deleted that record, so every record that it still has is newer.
      if (after !== undefined && (error as Error).name === 'TrimmedDataAccessException')
        return iteratorFor(ShardId, undefined);
      throw error;
    }
  };
  return {
    /** Returns the ARN of the stream, which changes when the table is created again; undefined when there is no stream. */
    identity: findArn,

    /** Lists the shards, parents before children. */
    shards: async () => {
      const found: Shard[] = [];
      let last: string | undefined;
      do {
        const { StreamDescription } = await call<{
          StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string };
        }>('DescribeStream', { StreamArn: await findArn(), ExclusiveStartShardId: last });
        found.push(...StreamDescription.Shards);
        last = StreamDescription.LastEvaluatedShardId;
      } while (last !== undefined);
      return found.map(({ ShardId, ParentShardId }) => ({ id: ShardId, parent: ParentShardId }));
    },

    /**
     * Reads records of a shard after a sequence number, or from the beginning of the shard.
     * @returns `next` is undefined when the shard has ended.
     */
    records: async (
      shard: string,
      from: { readonly after: string | undefined } | { readonly iterator: string },
      limit: number,
    ) => {
      const iterator = 'iterator' in from ? from.iterator : await iteratorFor(shard, from.after);
      const { Records, NextShardIterator } = await call<{ Records: ApiRecord[]; NextShardIterator?: string }>(
        'GetRecords',
        { ShardIterator: iterator, Limit: limit },
      );
      return { records: Records.map((record) => toStreamRecord(table, record)), next: NextShardIterator };
    },

    close,
  };
};

const toStreamRecord = (table: string, { eventID, eventName, eventVersion, dynamodb }: ApiRecord): StreamRecord => ({
  eventID,
  eventName,
  eventVersion,
  eventSource: 'aws:dynamodb',
  awsRegion: LOCAL_REGION,
  eventSourceARN: streamArn(table),
  dynamodb,
});

/**
 * Opens the API of DynamoDB Streams. Functions receive the images of a record in the form of its responses, which the client
 * of the SDK converts in both directions. It shares endpoint, credentials and connections with the client of DynamoDB.
 */
const openStreamsApi = (access: EngineConnection) => {
  const client = new DynamoDBClient(access as DynamoDBClientConfig);
  const { credentials, region, requestHandler } = client.config;
  const signer = new SignatureV4({ service: 'dynamodb', region, credentials, sha256: Sha256 });
  // In AWS, streams have their own endpoint. Other engines serve them at the endpoint of the table.
  const { protocol, host, hostname, port } = new URL(
    String(access.endpoint).replace(/\/\/dynamodb\.(?=.*\.amazonaws\.com)/, '//streams.dynamodb.'),
  );

  /** @throws an error with the name of the exception. */
  const call = async <Output>(operation: string, input: object): Promise<Output> => {
    const request = new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
      },
      body: JSON.stringify(input),
    });
    const { response } = await requestHandler.handle((await signer.sign(request)) as HttpRequest);
    const chunks: Buffer[] = [];
    for await (const chunk of response.body as IncomingMessage) chunks.push(chunk);
    const output = JSON.parse(Buffer.concat(chunks).toString());
    if (response.statusCode < 300) return output;
    const { __type = '', message = output.Message } = output as Record<string, string>;
    throw Object.assign(new Error(message), { name: __type.split('#').at(-1) });
  };
  return { call, close: () => client.destroy() };
};
