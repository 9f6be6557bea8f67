import {
  type _Record,
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  type DynamoDBStreamsClientConfig,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';
import type { Logger } from '@smithy/types';
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
export interface TableStream {
  /** Returns the ARN of the stream, which changes when the table is created again; undefined when there is no stream. */
  identity(): Promise<string | undefined>;
  /** Lists the shards, parents before children. */
  shards(): Promise<readonly { readonly id: string; readonly parent: string | undefined }[]>;
  /**
   * Reads records of a shard after a sequence number, or from the beginning of the shard.
   * @returns `next` is undefined when the shard has ended.
   */
  records(
    shard: string,
    from: { readonly after: string | undefined } | { readonly iterator: string },
    limit: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly next: string | undefined }>;
  close(): void;
}

/** Opens the stream of a table of the embedded engine or of DynamoDB in AWS. */
export const openTableStream = (table: string, access: EngineConnection): TableStream => {
  // In AWS, streams have their own endpoint. Other engines serve them at the endpoint of the table.
  const endpoint = String(access.endpoint).replace(/\/\/dynamodb\.(?=.*\.amazonaws\.com)/, '//streams.dynamodb.');
  const client = new DynamoDBStreamsClient({
    ...(access as DynamoDBStreamsClientConfig),
    endpoint,
    maxAttempts: 2,
    // Without a logger, the client copies each response for a logger that ignores it: a fifth of the time of a read.
    logger: {} as Logger,
  });
  let arn: string | undefined;
  const findArn = async (): Promise<string | undefined> => {
    arn ??= (await client.send(new ListStreamsCommand({ TableName: table }))).Streams?.at(-1)?.StreamArn;
    return arn;
  };
  const iteratorFor = async (ShardId: string, after: string | undefined): Promise<string | undefined> => {
    const position =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after };
    const command = new GetShardIteratorCommand({ StreamArn: await findArn(), ShardId, ...position });
    try {
      return (await client.send(command)).ShardIterator;
    } catch (error) {
      // The stream has deleted that record, so every record that it still has is newer.
      if (after !== undefined && (error as Error).name === 'TrimmedDataAccessException')
        return iteratorFor(ShardId, undefined);
      throw error;
    }
  };
  return {
    identity: findArn,

    shards: async () => {
      const found: Shard[] = [];
      let lastShardId: string | undefined;
      do {
        const { StreamDescription } = await client.send(
          new DescribeStreamCommand({ StreamArn: await findArn(), ExclusiveStartShardId: lastShardId }),
        );
        found.push(...(StreamDescription?.Shards ?? []));
        lastShardId = StreamDescription?.LastEvaluatedShardId;
      } while (lastShardId !== undefined);
      return found.map(({ ShardId = '', ParentShardId }) => ({ id: ShardId, parent: ParentShardId }));
    },

    records: async (shard, from, limit) => {
      const iterator = 'iterator' in from ? from.iterator : await iteratorFor(shard, from.after);
      const { Records = [], NextShardIterator } = await client.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: limit }),
      );
      return { records: Records.map((record) => toStreamRecord(table, record)), next: NextShardIterator };
    },

    close: () => client.destroy(),
  };
};

const toStreamRecord = (
  table: string,
  { eventID = '', eventName, eventVersion, dynamodb = {} }: _Record,
): StreamRecord => {
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime, SequenceNumber = '', ...rest } = dynamodb;
  return {
    eventID,
    eventName: eventName ?? '',
    eventVersion,
    eventSource: 'aws:dynamodb',
    awsRegion: LOCAL_REGION,
    eventSourceARN: streamArn(table),
    dynamodb: {
      ...rest,
      ApproximateCreationDateTime: (ApproximateCreationDateTime?.getTime() ?? 0) / 1_000,
      SequenceNumber,
      ...(Keys && { Keys: toJsonImage(Keys) }),
      ...(NewImage && { NewImage: toJsonImage(NewImage) }),
      ...(OldImage && { OldImage: toJsonImage(OldImage) }),
    },
  };
};

/** Converts an image for JSON: bytes become base64. */
const toJsonImage = (image: Readonly<Record<string, AttributeValue>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, toJsonValue(value)]));

const toJsonValue = (value: AttributeValue): unknown => {
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  if (value.L !== undefined) return { L: value.L.map(toJsonValue) };
  if (value.M !== undefined) return { M: toJsonImage(value.M) };
  return value;
};
