import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  StartReplayCommand,
} from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startService } from '../../../infra/local/service/service.ts';
import { temporaryFolder, thingsTable, writeAssembly } from '../../support/local/small-assembly.ts';

/** A function that records its events in a file, and fails as often as the event requires. */
const witness = (file: string) => ({
  code: `
    import { appendFileSync, existsSync, readFileSync } from 'node:fs';
    const file = ${JSON.stringify(file)};
    const seen = () => existsSync(file) ? readFileSync(file, 'utf8').split('\\n') : [];
    export const handler = async (event) => {
      const line = JSON.stringify(event);
      appendFileSync(file, line + '\\n');
      const times = seen().filter((each) => each === line).length;
      const failures = event.detail?.failures ?? event.failures ?? 0;
      if (times <= failures) throw new RangeError('not yet');
      if (event.detail?.wait) await new Promise((resolve) => setTimeout(resolve, event.detail.wait));
    };`,
});

const sdk = (name: string) => JSON.stringify(import.meta.resolve(`@aws-sdk/client-${name}`));
/** A function that calls each service with the endpoints in its environment, as the functions of the application do. */
const caller = {
  code: `
    import { EventBridgeClient, PutEventsCommand } from ${sdk('eventbridge')};
    import { InvokeCommand, LambdaClient } from ${sdk('lambda')};
    import { HeadObjectCommand, PutObjectCommand, S3Client } from ${sdk('s3')};
    import { SendMessageCommand, SQSClient } from ${sdk('sqs')};
    const { BUCKET_NAME: Bucket, BUS_NAME: EventBusName, DEAD_LETTERS_URL: QueueUrl } = process.env;
    export const handler = async () => {
      await new S3Client({}).send(new PutObjectCommand({ Bucket, Key: 'readmes/x', Body: 'x' }));
      const entry = { EventBusName, Source: 'test.called', DetailType: 'called', Detail: '{}' };
      await new EventBridgeClient({}).send(new PutEventsCommand({ Entries: [entry] }));
      await new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody: 'called' }));
      const { StatusCode } = await new LambdaClient({}).send(new InvokeCommand({ FunctionName: 'witness', Payload: '{"called":true}' }));
      return StatusCode;
    };`,
  properties: {
    Environment: {
      Variables: { BUCKET_NAME: { Ref: 'Objects' }, BUS_NAME: { Ref: 'Bus' }, DEAD_LETTERS_URL: { Ref: 'Letters' } },
    },
  },
};

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const targets = [{ Id: 'one', Arn: arnOf('witnessFunction') }];
const resources = {
  Letters: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'letters' } },
  Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'ours' } },
  Archive: {
    Type: 'AWS::Events::Archive',
    Properties: { ArchiveName: 'kept', SourceArn: arnOf('Bus'), EventPattern: { source: [{ prefix: 'test' }] } },
  },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: { source: ['test'] }, Targets: targets },
  },
  Objects: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'objects' } },
  Uploaded: {
    Type: 'AWS::Events::Rule',
    Properties: {
      EventPattern: {
        source: ['aws.s3'],
        'detail-type': ['Object Created'],
        detail: { bucket: { name: [{ Ref: 'Objects' }] }, object: { key: [{ prefix: 'states/' }] } },
      },
      Targets: targets,
    },
  },
  Asynchronous: {
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: {
      FunctionName: { Ref: 'witnessFunction' },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnFailure: { Destination: arnOf('Letters') } },
    },
  },
  Followed: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      FunctionName: { Ref: 'witnessFunction' },
      EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/local',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"NewImage":{"seen":{"BOOL":[true]}}}}' }] },
    },
  },
};

const start = async (folder = temporaryFolder()) => {
  const file = join(folder, 'witnessed');
  const assembly = writeAssembly({ functions: { witness: witness(file), caller }, table: thingsTable, resources });
  const service = await startService({ dataFolder: join(folder, 'data'), assembly });
  const { credentials } = service;
  const access = (endpoint: string) => ({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const clients = {
    events: new EventBridgeClient(access(service.origin)),
    lambda: new LambdaClient(access(service.origin)),
    queue: new SQSClient(access(service.origin)),
    objects: new S3Client({ ...access(service.origin), forcePathStyle: true }),
    table: new DynamoDBClient(access(service.engineEndpoint)),
  };
  onTestFinished(async () => {
    for (const client of Object.values(clients)) client.destroy();
    await service.stop();
  });
  const put = (...entries: PutEventsRequestEntry[]) =>
    clients.events.send(
      new PutEventsCommand({ Entries: entries.map((entry) => ({ EventBusName: 'ours', ...entry })) }),
    );
  const event = (detail: object, Source = 'test') => ({ Source, DetailType: 'tested', Detail: JSON.stringify(detail) });
  /** Returns the events that the function received so far. */
  const witnessed = (): { [name: string]: never }[] => {
    try {
      return readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  };
  const archived = () =>
    readFileSync(join(folder, 'data', 'events', 'kept.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const receive = async (seconds = 0): Promise<Message[]> => {
    const { QueueUrl } = await clients.queue.send(new GetQueueUrlCommand({ QueueName: 'letters' }));
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: seconds });
    return (await clients.queue.send(command)).Messages ?? [];
  };
  /** Waits for messages. */
  const receiveSome = async (): Promise<Message[]> => {
    for (;;) {
      const messages = await receive(20);
      if (messages.length > 0) return messages;
    }
  };
  return { ...service, ...clients, folder, put, event, witnessed, archived, receive, receiveSome };
};

describe('EventBridge emulation', () => {
  it('archives events and delivers them to the functions of matching rules', async () => {
    const { put, event, witnessed, archived } = await start();
    const response = await put(event({ n: 1 }), event({ n: 2 }, 'test.other'), event({ n: 3 }, 'foreign'));
    expect(response).toMatchObject({ FailedEntryCount: 0 });
    await expect.poll(witnessed).toMatchObject([
      {
        version: '0',
        id: response.Entries?.[0]?.EventId,
        source: 'test',
        'detail-type': 'tested',
        account: '000000000000',
        region: 'us-east-1',
        resources: [],
        detail: { n: 1 },
      },
    ]);
    expect(archived().map(({ detail }) => detail)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('rejects invalid entries as EventBridge does, and accepts the other entries', async () => {
    const { put, event, archived } = await start();
    const response = await put(event({}), { Source: 'test', DetailType: 't', Detail: '[1]' }, event({}, 'aws.s3'), {
      Source: 'test',
      Detail: '{}',
    });
    expect(response.FailedEntryCount).toBe(3);
    expect(response.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      'MalformedDetail',
      'NotAuthorizedForSourceException',
      'InvalidArgument',
    ]);
    expect(archived()).toHaveLength(1);
    await expect(put(...Array(11).fill(event({})))).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(put(event({ text: 'x'.repeat(256 * 1024) }))).rejects.toThrow(/over the limit/);
    await expect(put({ ...event({}), EventBusName: 'theirs' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('replays archived events of a period without archiving them again', async () => {
    const { events, put, event, witnessed, archived } = await start();
    const before = new Date();
    await put(event({ n: 1 }), event({ n: 2 }));
    await expect.poll(witnessed).toHaveLength(2);
    const replay = (EventEndTime: Date) =>
      events.send(
        new StartReplayCommand({
          ReplayName: 'again',
          EventSourceArn: 'arn:aws:events:us-east-1:000000000000:archive/kept',
          EventStartTime: new Date(before.getTime() - 1_000),
          EventEndTime,
          Destination: { Arn: 'arn:aws:events:us-east-1:000000000000:event-bus/ours' },
        }),
      );
    await replay(new Date(before.getTime() - 500));
    expect(await replay(new Date(Date.now() + 1_000))).toMatchObject({ State: 'COMPLETED' });
    await expect.poll(witnessed).toHaveLength(4);
    expect(witnessed().filter((each) => 'replay-name' in each)).toHaveLength(2);
    expect(archived()).toHaveLength(2);
  });

  it('delivers an event for each new object in the bucket', async () => {
    const { objects, witnessed } = await start();
    const write = (Key: string) => objects.send(new PutObjectCommand({ Bucket: 'objects', Key, Body: 'text' }));
    await write('readmes/ws-1');
    const { VersionId, ETag } = await write('states/ws-1');
    await expect.poll(witnessed).toMatchObject([
      {
        source: 'aws.s3',
        'detail-type': 'Object Created',
        resources: ['arn:aws:s3:::objects'],
        detail: {
          bucket: { name: 'objects' },
          object: { key: 'states/ws-1', size: 4, etag: ETag?.replaceAll('"', ''), 'version-id': VersionId },
        },
      },
    ]);
  });
});

describe('asynchronous invocation', () => {
  it('is retried, and then sent with its error to the failure destination', async () => {
    const { lambda, witnessed, receive, receiveSome } = await start();
    const invoke = (payload: object) =>
      lambda.send(
        new InvokeCommand({ FunctionName: 'witness', InvocationType: 'Event', Payload: JSON.stringify(payload) }),
      );
    await invoke({ name: 'once', failures: 1 });
    await invoke({ name: 'always', failures: 9 });
    const [letter] = await receiveSome();
    expect(JSON.parse(letter?.Body ?? '')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 2 },
      requestPayload: { name: 'always' },
      responsePayload: { errorType: 'RangeError', errorMessage: 'not yet' },
    });
    await expect.poll(witnessed).toHaveLength(4);
    expect(await receive()).toEqual([]);
  });

  it('is repeated after a restart when it was accepted before', async () => {
    const first = await start();
    await first.put(first.event({ wait: 600_000 }));
    await expect.poll(first.witnessed).toHaveLength(1);
    await first.stop();
    const second = await start(first.folder);
    await expect.poll(second.witnessed).toHaveLength(2);
    expect(second.witnessed()[1]).toEqual(first.witnessed()[0]);
    expect(second.archived()).toHaveLength(1);
  });
});

describe('SQS emulation', () => {
  it('keeps a message until it is deleted, and hides it during its visibility timeout', async () => {
    const { queue } = await start();
    const { QueueUrl } = await queue.send(new GetQueueUrlCommand({ QueueName: 'letters' }));
    await queue.send(new SendMessageCommand({ QueueUrl, MessageBody: 'one' }));
    const receive = (VisibilityTimeout: number) =>
      queue.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout }));
    const { Messages: [first] = [] } = await receive(60);
    expect(first?.Body).toBe('one');
    expect((await receive(60)).Messages).toBeUndefined();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await receive(60)).Messages).toHaveLength(1);
    // The receipt handle of the first receive is not valid any more.
    await queue.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    vi.setSystemTime(Date.now() + 60_000);
    const { Messages: [again] = [] } = await receive(0);
    expect(again?.Body).toBe('one');
    await queue.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again?.ReceiptHandle }));
    expect((await receive(60)).Messages).toBeUndefined();
    await expect(queue.send(new GetQueueUrlCommand({ QueueName: 'other' }))).rejects.toThrow(/does not exist/);
  });

  it('keeps its messages over a restart', async () => {
    const first = await start();
    const { QueueUrl } = await first.queue.send(new GetQueueUrlCommand({ QueueName: 'letters' }));
    for (const MessageBody of ['one', 'two']) await first.queue.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const [received] = await first.receive();
    await first.queue.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: received?.ReceiptHandle }));
    await first.stop();
    const second = await start(first.folder);
    expect((await second.receive()).map(({ Body }) => Body)).toEqual(['two']);
  });
});

describe('event source mapping of the stream', () => {
  const write = (table: DynamoDBClient, pk: string, seen = true) =>
    table.send(
      new PutItemCommand({
        TableName: 'things',
        Item: { pk: { S: pk }, seen: { BOOL: seen }, bytes: { B: Buffer.from('b') } },
      }),
    );

  it('reads records in order, and continues from its checkpoint after a restart', async () => {
    const first = await start();
    for (const pk of ['a', 'b', 'a']) await write(first.table, pk);
    await write(first.table, 'c', false);
    const seen = (witnessed: typeof first.witnessed) => () =>
      witnessed().flatMap(({ Records = [] }: { Records?: { dynamodb: { Keys: { pk: { S: string } } } }[] }) =>
        Records.map(({ dynamodb }) => dynamodb.Keys.pk.S),
      );
    await expect.poll(seen(first.witnessed)).toEqual(['a', 'b', 'a']);
    expect((first.witnessed() as { Records?: object[] }[])[0]?.Records?.[0]).toMatchObject({
      eventSource: 'aws:dynamodb',
      eventName: 'INSERT',
      dynamodb: { NewImage: { bytes: { B: 'Yg==' } }, ApproximateCreationDateTime: expect.any(Number) },
    });
    // The checkpoint also covers the records that the filter excludes.
    const checkpoint = join(first.folder, 'data', 'streams', 'witness.json');
    await expect.poll(() => readFileSync(checkpoint, 'utf8')).toContain('"after":"4"');
    await first.stop();

    const second = await start(first.folder);
    await write(second.table, 'd');
    await expect.poll(seen(second.witnessed)).toEqual(['a', 'b', 'a', 'd']);
    await second.stop();

    // As if the process had ended before it wrote the checkpoint: the batch is delivered again.
    writeFileSync(checkpoint, readFileSync(checkpoint, 'utf8').replace('"after":"5"', '"after":"4"'));
    const third = await start(first.folder);
    await expect.poll(seen(third.witnessed)).toEqual(['a', 'b', 'a', 'd', 'd']);
  });
});

describe('emulated AWS services', () => {
  it('are available to functions through their environment', async () => {
    const { functions, archived, receive, witnessed, objects } = await start();
    expect(await functions.invoke('caller', '{}')).toEqual({ kind: 'succeeded', payload: '200' });
    expect(archived()).toMatchObject([{ source: 'test.called' }]);
    expect(await receive()).toMatchObject([{ Body: 'called' }]);
    expect(witnessed()).toEqual([{ called: true }]);
    expect(await objects.send(new HeadObjectCommand({ Bucket: 'objects', Key: 'readmes/x' }))).toBeDefined();
  });

  it.each(['AWSEvents.PutEvents', 'AmazonSQS.ListQueues'])('reject the request of a web page (%s)', async (target) => {
    const { origin } = await start();
    const response = await fetch(origin, {
      method: 'POST',
      headers: { 'x-amz-target': target, origin: 'http://127.0.0.1' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });
});
