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
import { LOCAL_REGION, streamArn } from '../assembly/template.ts';
import type { StreamRecord } from '../events/stream-batches.ts';
import type { EngineAccess } from './engine-table.ts';

/** The stream of one table. */
export interface TableStream {
  /** What tells it from a stream that the table had before; undefined where it has none. */
  identity(): Promise<string | undefined>;
  /** Its shards, parents before children. */
  shards(): Promise<readonly { readonly id: string; readonly parent: string | undefined }[]>;
  /**
   * Records of a shard after a sequence number, from its beginning where there is none.
   * @returns no `next` where the shard has ended.
   */
  records(
    shard: string,
    from: { readonly after: string | undefined } | { readonly iterator: string },
    most: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly next: string | undefined }>;
  close(): void;
}

export const openTableStream = (table: string, access: EngineAccess): TableStream => {
  // In AWS streams are at an address of their own, elsewhere at the engine's.
  const endpoint = String(access.endpoint).replace(/\/\/dynamodb\.(?=.*\.amazonaws\.com)/, '//streams.dynamodb.');
  const client = new DynamoDBStreamsClient({ ...(access as DynamoDBStreamsClientConfig), endpoint, maxAttempts: 2 });
  let arn: string | undefined;
  const find = async (): Promise<string | undefined> => {
    arn ??= (await client.send(new ListStreamsCommand({ TableName: table }))).Streams?.at(-1)?.StreamArn;
    return arn;
  };
  const iteratorFor = async (ShardId: string, after: string | undefined): Promise<string | undefined> => {
    const where =
      after === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after };
    const command = new GetShardIteratorCommand({ StreamArn: await find(), ShardId, ...where });
    try {
      return (await client.send(command)).ShardIterator;
    } catch (error) {
      // The stream has forgotten it, so all that it still has is new.
      if (after !== undefined && (error as Error).name === 'TrimmedDataAccessException')
        return iteratorFor(ShardId, undefined);
      throw error;
    }
  };
  return {
    identity: find,

    shards: async () => {
      const found: Shard[] = [];
      let from: string | undefined;
      do {
        const { StreamDescription } = await client.send(
          new DescribeStreamCommand({ StreamArn: await find(), ExclusiveStartShardId: from }),
        );
        found.push(...(StreamDescription?.Shards ?? []));
        from = StreamDescription?.LastEvaluatedShardId;
      } while (from !== undefined);
      return found.map(({ ShardId = '', ParentShardId }) => ({ id: ShardId, parent: ParentShardId }));
    },

    records: async (shard, from, most) => {
      const iterator = 'iterator' in from ? from.iterator : await iteratorFor(shard, from.after);
      const { Records = [], NextShardIterator } = await client.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: most }),
      );
      return { records: Records.map((record) => recordOf(table, record)), next: NextShardIterator };
    },

    close: () => client.destroy(),
  };
};

const recordOf = (table: string, { eventID = '', eventName, eventVersion, dynamodb = {} }: _Record): StreamRecord => {
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
      ...(Keys && { Keys: imageOf(Keys) }),
      ...(NewImage && { NewImage: imageOf(NewImage) }),
      ...(OldImage && { OldImage: imageOf(OldImage) }),
    },
  };
};

/** An image as JSON has it: bytes in base64. */
const imageOf = (image: Readonly<Record<string, AttributeValue>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, plainValue(value)]));

const plainValue = (value: AttributeValue): unknown => {
  if (value.B !== undefined) return { B: Buffer.from(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('base64')) };
  if (value.L !== undefined) return { L: value.L.map(plainValue) };
  if (value.M !== undefined) return { M: imageOf(value.M) };
  return value;
};
