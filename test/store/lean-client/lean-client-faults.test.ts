import { Agent } from 'node:http';
import { Socket } from 'node:net';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type CannedDynamoDB,
  type CannedResponse,
  type ReceivedRequest,
  startCannedDynamoDB,
} from '../../support/engine/canned-dynamodb.ts';
import { type ClientKind, clientKinds, openDocumentClient, outcomeOf } from '../../support/engine/client-pair.ts';

// Each test has a server of its own: a request that its caller gave up on a busy machine arrives after the end of its test.
let server: CannedDynamoDB;
beforeEach(async () => {
  server = await startCannedDynamoDB();
});
afterEach(() => server.stop());
// The pauses between attempts are random, up to a limit.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const open = (kind: ClientKind, configuration: DynamoDBClientConfig = {}) =>
  openDocumentClient(kind, {
    endpoint: server.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
    ...configuration,
  });

const commands = {
  read: () => new GetCommand({ TableName: 'table', Key: { pk: 'a' } }),
  update: () => new UpdateCommand({ TableName: 'table', Key: { pk: 'a' }, UpdateExpression: 'SET #a = :a' }),
  transaction: () => new TransactWriteCommand({ TransactItems: [] }),
} as const;
type Name = keyof typeof commands;

interface Calls {
  readonly outcome: unknown;
  readonly requests: readonly ReceivedRequest[];
}

/** Sends a command to a server with the same responses with each client. */
const callBoth = async (
  name: Name,
  responses: readonly CannedResponse[],
  configuration?: DynamoDBClientConfig,
  options?: () => { abortSignal: AbortSignal },
): Promise<{ lean: Calls; sdk: Calls }> => {
  const call = async (kind: ClientKind): Promise<Calls> => {
    server.respond(...responses);
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
    const outcome = await outcomeOf(() => open(kind, configuration).send(commands[name]() as any, options?.()));
    return { outcome, requests: server.requests() };
  };
  return { lean: await call('lean'), sdk: await call('sdk') };
};

const error = (type: string, status: number, more: object = {}): CannedResponse => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `This is ${type}`, ...more },
});
const internal = error('InternalServerError', 500);
const item = { pk: { S: 'a' }, lock: { M: { by: { S: 'user' }, binary: { B: 'AAE=' } } } };

test.each<[string, Name, readonly CannedResponse[], number]>([
  ['a failed condition with its item', 'update', [error('ConditionalCheckFailedException', 400, { Item: item })], 1],
  ['a failed condition without an item', 'update', [error('ConditionalCheckFailedException', 400)], 1],
  [
    'a canceled transaction with its reasons and items',
    'transaction',
    [
      error('TransactionCanceledException', 400, {
        Message: 'Transaction cancelled',
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: item, Message: 'failed' }],
      }),
    ],
    1,
  ],
  ['a transaction conflict', 'update', [error('TransactionConflictException', 400)], 1],
  ['a transaction in progress', 'transaction', [error('TransactionInProgressException', 400)], 3],
  ['a validation error', 'update', [error('ValidationException', 400)], 1],
  ['a missing table', 'read', [error('ResourceNotFoundException', 400)], 1],
  ['missing permissions', 'read', [error('AccessDeniedException', 400)], 1],
  ['an unknown error', 'read', [error('NewException', 400)], 1],
  ['an error of a proxy', 'read', [{ status: 403, body: '<html>Forbidden</html>' }], 1],
  ['throttling', 'read', [error('ThrottlingException', 400)], 3],
  ['exceeded throughput', 'update', [error('ProvisionedThroughputExceededException', 400)], 3],
  ['exceeded throughput once', 'update', [error('RequestLimitExceeded', 400), { body: { Attributes: item } }], 2],
  ['status 429', 'read', [{ status: 429, body: '' }], 3],
  ['an internal error', 'read', [internal], 3],
  ['an internal error twice', 'read', [internal, internal, { body: { Item: item } }], 3],
  ['status 503 of a proxy', 'read', [{ status: 503, body: '<html>Unavailable</html>' }], 3],
  ['status 501', 'read', [{ status: 501, body: {} }], 1],
  ['an error without a type', 'read', [{ status: 400, body: {} }], 1],
  ['an empty response', 'read', [{ body: '' }], 1],
  ['a response that is not JSON', 'read', [{ body: '<html>' }], 1],
  ['a response that is not an object', 'read', [{ body: 'null' }], 1],
  ['a response that ends early', 'read', [{ body: '{"Item":{"pk":{"S"' }], 1],
  [
    'a connection that closes within the body',
    'read',
    [
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"Item"');
        setImmediate(() => response.destroy());
      },
      { body: { Item: item } },
    ],
    2,
  ],
  ['a connection that closes without a response', 'read', [(response) => void response.destroy()], 3],
  ['a redirection', 'read', [{ status: 301, headers: { location: 'http://127.0.0.1:1' } }], 1],
])('handles %s as the SDK does', async (_name, command, responses, attempts) => {
  const { lean, sdk } = await callBoth(command, responses);
  expect(lean.outcome).toEqual(sdk.outcome);
  expect(lean.requests).toHaveLength(attempts);
  expect(sdk.requests).toHaveLength(attempts);
  expect(lean.requests.map(({ headers }) => headers['amz-sdk-request'])).toEqual(
    sdk.requests.map(({ headers }) => headers['amz-sdk-request']),
  );
});

test('repeats a request with the same body and the same invocation id, and a new signature', async () => {
  const { lean } = await callBoth('transaction', [internal, {}]);
  const [first, second] = lean.requests;
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['amz-sdk-invocation-id']).toBe(first?.headers['amz-sdk-invocation-id']);
  expect(second?.headers['authorization']).not.toBe(first?.headers['authorization']);
});

test('reports each success to the retry strategy, as the SDK does', async () => {
  const token = { getRetryCount: () => 0, getRetryDelay: () => 0 };
  const retryStrategy = {
    acquireInitialRetryToken: async () => token,
    refreshRetryTokenForRetry: async () => token,
    recordSuccess: vi.fn(),
  };
  for (const responses of [[{}], [internal, {}]]) {
    await callBoth('read', responses, { retryStrategy: retryStrategy as never });
    expect(retryStrategy.recordSuccess.mock.calls).toEqual([[token], [token]]);
    retryStrategy.recordSuccess.mockClear();
  }
});

test('sends a write once if the client allows one attempt', async () => {
  const { lean, sdk } = await callBoth('update', [internal], { maxAttempts: 1 });
  expect(lean.outcome).toEqual(sdk.outcome);
  expect(lean.requests).toHaveLength(1);
});

describe('time limits', () => {
  const silent: CannedResponse = () => {};

  test('end a request that gets no response, as in the SDK', async () => {
    const requestHandler = { requestTimeout: 20, throwOnRequestTimeout: true };
    const { lean, sdk } = await callBoth('read', [silent], { requestHandler });
    expect(lean.outcome).toMatchObject({ name: 'TimeoutError', metadata: { attempts: 3 } });
    expect(lean.outcome).toEqual({ ...(sdk.outcome as object), message: 'DynamoDB did not respond within 20 ms' });
  });

  test('end a connection that is not established, as in the SDK', async () => {
    const agent = new Agent();
    agent.createConnection = () => Object.assign(new Socket(), { connecting: true });
    const requestHandler = { connectionTimeout: 20, httpAgent: agent };
    const { lean, sdk } = await callBoth('read', [{}], { requestHandler });
    expect(lean.outcome).toMatchObject({ name: 'TimeoutError', metadata: { attempts: 3 } });
    const message = 'No connection to DynamoDB was established within 20 ms';
    expect(lean.outcome).toEqual({ ...(sdk.outcome as object), message });
  });

  test('do not end a request whose response arrived while the process stood still', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // After an immediate, Node runs timers, and then reads. So the response is sent but not read when the time is over.
    server.respond((response) => void response.end('{}', () => setImmediate(() => vi.advanceTimersByTime(20))));
    const client = open('lean', { requestHandler: { requestTimeout: 20 }, maxAttempts: 1 });
    expect(await client.send(commands.read())).toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  test.each<[string, CannedResponse]>([
    ['before the response', silent],
    ['within the response', (response) => void response.writeHead(200, { 'content-length': '100' }).write('{')],
    ['between two attempts', internal],
  ])('of the caller end a request %s, as in the SDK', async (_name, response) => {
    vi.mocked(Math.random).mockReturnValue(0.99);
    const { lean, sdk } = await callBoth('read', [response], {}, () => ({ abortSignal: AbortSignal.timeout(30) }));
    expect(lean.outcome).toMatchObject({ class: expect.any(Function), status: undefined });
    expect(lean.outcome).toEqual(sdk.outcome);
  });

  test('of the caller prevent a request, as in the SDK', async () => {
    const { lean, sdk } = await callBoth('read', [{}], {}, () => ({ abortSignal: AbortSignal.abort() }));
    expect(lean.outcome).toMatchObject({ name: 'AbortError' });
    expect(lean.outcome).toEqual(sdk.outcome);
    expect(lean.requests).toHaveLength(0);
  });
});

describe('a clock that is wrong', () => {
  const HOUR = 3_600_000;
  const signingTime = ({ headers }: ReceivedRequest): number =>
    Date.parse(String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

  test.each(clientKinds)('is corrected by the %s client with the time of the server', async (kind) => {
    const date = new Date(Date.now() + HOUR).toUTCString();
    const skewed = error('InvalidSignatureException', 400, { message: 'Signature not yet current' });
    server.respond({ ...(skewed as object), headers: { date } }, { headers: { date } });
    const client = open(kind);
    await client.send(commands.read());
    await client.send(commands.read());
    const [first = 0, ...later] = server.requests().map(signingTime);
    expect(Math.abs(first - Date.now())).toBeLessThan(HOUR / 10);
    expect(later).toHaveLength(2);
    for (const time of later) expect(Math.abs(time - Date.parse(date))).toBeLessThan(HOUR / 10);
  });
});
