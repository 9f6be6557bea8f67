import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBucket } from '../../../shared/blob/bucket.ts';
import { openBus } from '../../../shared/events/bus.ts';
import { openDatabase } from '../../../shared/store/dynamodb/database.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openSdkClient } from '../../../shared/store/dynamodb/sdk-client.ts';
import {
  describeOutcome,
  parseTraceHeader,
  type Subsegment,
  startTracing,
} from '../../../shared/tracing/start-tracing.ts';

const traced = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

describe('startTracing', () => {
  let server: Server;
  let endpoint: string;
  let status: number;
  let header: string | undefined;
  let sent: Subsegment[];
  let stop: () => void;
  beforeAll(async () => {
    server = createServer((_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [status, header, sent] = [200, traced, []];
    stop = startTracing({ readTraceHeader: () => header, send: (subsegment) => sent.push(subsegment) });
  });
  afterEach(() => stop());

  const client = () => ({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  });
  const readItem = (createClient?: typeof openSdkClient) =>
    openDatabase({ tableName: 'table', createClient, client: client() }).get(keys.workspace('ws-1'));

  test.each([
    ['lean', undefined],
    ['sdk', openSdkClient],
  ] as const)('sends a subsegment for a call of DynamoDB by the client %s', async (_, createClient) => {
    await readItem(createClient);
    expect(sent).toEqual([
      {
        type: 'subsegment',
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        trace_id: '1-5759e988-bd862e3fe1be46a994272793',
        parent_id: '53995c3f42cd8ad8',
        name: 'DynamoDB',
        namespace: 'aws',
        start_time: expect.any(Number),
        end_time: expect.any(Number),
        aws: { operation: 'GetItem', region: 'eu-west-1' },
        http: { response: { status: 200 } },
      },
    ]);
    const [{ start_time, end_time }] = sent as [Subsegment];
    expect(end_time).toBeGreaterThanOrEqual(start_time);
    expect(Math.abs(Date.now() / 1_000 - end_time)).toBeLessThan(60);
  });

  test('sends subsegments for calls of S3 and EventBridge', async () => {
    // The server returns less than both clients expect.
    await openBucket('bucket', { ...client(), forcePathStyle: true })
      .put('states/one', Buffer.from('{}'))
      .catch(() => {});
    await openBus('bus', client())
      .send([{ type: 'a', detail: '{}', time: 0 }])
      .catch(() => {});
    expect(sent.map(({ name, aws }) => [name, aws.operation])).toEqual([
      ['S3', 'PutObject'],
      ['EventBridge', 'PutEvents'],
    ]);
  });

  test('marks the error of a service', async () => {
    status = 400;
    await readItem().catch(() => {});
    expect(sent).toEqual([expect.objectContaining({ error: true, http: { response: { status: 400 } } })]);
  });

  test.each([
    ['is not sampled', traced.replace('Sampled=1', 'Sampled=0')],
    ['has no trace', undefined],
  ])('sends nothing when the invocation %s', async (_, value) => {
    header = value;
    await readItem();
    expect(sent).toEqual([]);
  });

  test('sends nothing for requests that are not signed for a service of AWS', async () => {
    await new Promise((resolve) => get(endpoint, (response) => response.resume().on('end', resolve)));
    expect(sent).toEqual([]);
  });

  test('sends nothing after its end', async () => {
    stop();
    await readItem();
    expect(sent).toEqual([]);
  });
});

test('parseTraceHeader reads the trace and the parent of a sampled invocation', () => {
  expect(parseTraceHeader(`${traced};Lineage=a:0`)).toEqual({
    root: '1-5759e988-bd862e3fe1be46a994272793',
    parent: '53995c3f42cd8ad8',
  });
});

test.each([
  [undefined, { fault: true }],
  [204, { http: { response: { status: 204 } } }],
  [429, { http: { response: { status: 429 } }, error: true, throttle: true }],
  [503, { http: { response: { status: 503 } }, fault: true }],
])('describeOutcome describes the status %s', (status, expected) => {
  expect(describeOutcome(status)).toEqual(expected);
});

test('a process that loads the preloaded code sends one datagram to the daemon for each call', async () => {
  const daemon = createSocket('udp4');
  await new Promise<void>((resolve) => daemon.bind(0, '127.0.0.1', resolve));
  const datagram = new Promise<string>((resolve) => daemon.once('message', (content) => resolve(content.toString())));
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const authorization =
    'AWS4-HMAC-SHA256 Credential=key/20261122/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';
  const options = { port, headers: { authorization, 'x-amz-target': 'DynamoDB_20120810.Query' } };
  const child = spawn(
    process.execPath,
    [
      '--import',
      './shared/tracing/preload.ts',
      '-e',
      `require('http').get(${JSON.stringify(options)}, (r) => r.resume())`,
    ],
    {
      env: { AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`, _X_AMZN_TRACE_ID: traced },
      stdio: 'inherit',
    },
  );
  try {
    const [header, subsegment = ''] = (await datagram).split('\n');
    expect(header).toBe('{"format":"json","version":1}');
    expect(JSON.parse(subsegment)).toMatchObject({
      name: 'DynamoDB',
      trace_id: '1-5759e988-bd862e3fe1be46a994272793',
      aws: { operation: 'Query' },
    });
  } finally {
    child.kill();
    server.close();
    daemon.close();
  }
});
