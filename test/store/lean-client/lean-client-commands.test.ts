import { Readable } from 'node:stream';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { fc, test as property } from '@fast-check/vitest';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ClientKind, clientKinds, openDocumentClient, outcomeOf } from '../../support/engine/client-pair.ts';

afterEach(() => void vi.unstubAllEnvs());

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };

interface Exchange {
  readonly requests: readonly HttpRequest[];
  readonly outcome: unknown;
}

/** Sends a command with a client whose network responds with a body. */
const exchange = async (
  kind: ClientKind,
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands have no common type that `send` takes.
  command: any,
  body: unknown = {},
  configuration: DynamoDBClientConfig = {},
): Promise<Exchange> => {
  const requests: HttpRequest[] = [];
  const client = openDocumentClient(kind, {
    region: 'eu-central-1',
    credentials,
    requestHandler: {
      handle: async (request: HttpRequest) => {
        requests.push(request);
        const response = new HttpResponse({
          statusCode: 200,
          headers: { 'x-amzn-requestid': 'REQUEST' },
          body: Readable.from([Buffer.from(JSON.stringify(body))]),
        });
        return { response };
      },
    },
    ...configuration,
  });
  return { outcome: await outcomeOf(() => client.send(command)), requests };
};

/** Sends one command with each client. */
const exchangeBoth = async (create: () => unknown, body?: unknown, configuration?: DynamoDBClientConfig) => {
  const [lean, sdk] = await Promise.all(clientKinds.map((kind) => exchange(kind, create(), body, configuration)));
  if (lean === undefined || sdk === undefined) throw new Error('unreachable');
  return { lean, sdk };
};

const parse = ({ requests }: Exchange): unknown =>
  requests.map(({ body }) => JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()));

const bytes = Buffer.from([0, 1, 254, 255]);
const values = {
  text: 'naïve 🔒 "quoted" \u2028 \ud800',
  empty: '',
  integer: 17,
  negative: -0.5,
  largest: Number.MAX_SAFE_INTEGER,
  exponent: 1e-300,
  zero: -0,
  yes: true,
  nothing: null,
  left: undefined,
  list: [1, 'two', undefined, [null, {}], { deep: [undefined] }],
  map: { left: undefined, nested: { binary: bytes } },
  binary: bytes,
  bytes: new Uint8Array(bytes),
};
const rareValues = {
  large: 2n ** 64n,
  texts: new Set(['a', 'b']),
  numbers: new Set([1, 2.5]),
  larges: new Set([2n ** 60n]),
  binaries: new Set([bytes]),
  map: new Map([['a', { b: bytes }]]),
  buffer: new Uint8Array([1, 2]).buffer,
  withoutPrototype: Object.assign(Object.create(null), { a: 1 }),
};
const expressions = {
  ConditionExpression: '#a = :a',
  ExpressionAttributeNames: { '#a': 'a', '#Key': 'Key' },
  ExpressionAttributeValues: { ':a': values, ':left': undefined, ':b': 1 },
};
const key = { pk: 'a', sk: 'b' };
const stored = marshall({ pk: 'a', ...rareValues, withoutPrototype: { a: [null, true] }, map: {}, buffer: 'x' });
/** The stored item as it is in the body of a response. */
const json = JSON.parse(
  JSON.stringify(stored, function (name, value) {
    const raw = (this as Record<string, unknown>)[name];
    return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value;
  }),
);
const capacity = { TableName: 'table', CapacityUnits: 1.5, Table: { CapacityUnits: 1 } };

const commands: readonly (readonly [string, () => unknown, object])[] = [
  ['GetItem', () => new GetCommand({ TableName: 'table', Key: key, ConsistentRead: true }), { Item: json }],
  ['GetItem of a missing item', () => new GetCommand({ TableName: 'table', Key: key }), {}],
  [
    'Query',
    () =>
      new QueryCommand({
        TableName: 'table',
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': 'pk' },
        ExpressionAttributeValues: { ':pk': 'a' },
        ExclusiveStartKey: key,
        Limit: 2,
        ScanIndexForward: false,
      }),
    { Items: [json, json], Count: 2, ScannedCount: 3, LastEvaluatedKey: json, ConsumedCapacity: capacity },
  ],
  ['Query without items', () => new QueryCommand({ TableName: 'table' }), { Items: [], Count: 0 }],
  [
    'Scan',
    () => new ScanCommand({ TableName: 'table', ExclusiveStartKey: undefined }),
    { Items: [json], LastEvaluatedKey: json },
  ],
  [
    'PutItem',
    () => new PutCommand({ TableName: 'table', Item: { ...key, ...values }, ...expressions }),
    { Attributes: json, ItemCollectionMetrics: { ItemCollectionKey: json, SizeEstimateRangeGB: [0, 1.5] } },
  ],
  [
    'PutItem of rare values',
    () => new PutCommand({ TableName: 'table', Item: { ...key, ...values, ...rareValues } }),
    { ConsumedCapacity: capacity },
  ],
  [
    'UpdateItem',
    () => new UpdateCommand({ TableName: 'table', Key: key, ReturnValues: 'ALL_NEW', ...expressions }),
    { Attributes: json, ConsumedCapacity: capacity },
  ],
  [
    'UpdateItem without an expression',
    () =>
      new UpdateCommand({
        TableName: 'table',
        Key: key,
        AttributeUpdates: { a: { Action: 'PUT', Value: [1, bytes] } },
      }),
    {},
  ],
  ['DeleteItem', () => new DeleteCommand({ TableName: 'table', Key: key, ...expressions }), { Attributes: json }],
  [
    'BatchGetItem from tables with the names of members',
    () =>
      new BatchGetCommand({
        RequestItems: { Keys: { Keys: [key, key], ConsistentRead: true }, Item: { Keys: [key] } },
      }),
    {
      Responses: { Keys: [json, json], constructor: [] },
      UnprocessedKeys: { Item: { Keys: [json], ConsistentRead: true } },
      ConsumedCapacity: [capacity],
    },
  ],
  [
    'BatchWriteItem',
    () =>
      new BatchWriteCommand({
        RequestItems: { table: [{ PutRequest: { Item: values } }, { DeleteRequest: { Key: key } }] },
      }),
    { UnprocessedItems: { table: [{ PutRequest: { Item: json } }] } },
  ],
  [
    'TransactGetItems',
    () => new TransactGetCommand({ TransactItems: [{ Get: { TableName: 'table', Key: key } }] }),
    { Responses: [{ Item: json }, {}] },
  ],
  [
    'TransactWriteItems',
    () =>
      new TransactWriteCommand({
        ClientRequestToken: 'token',
        TransactItems: [
          { Put: { TableName: 'table', Item: values, ...expressions } },
          { Update: { TableName: 'table', Key: key, UpdateExpression: 'SET #a = :a', ...expressions } },
          { Delete: { TableName: 'table', Key: key, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
          { ConditionCheck: { TableName: 'table', Key: key, ...expressions } },
        ],
      }),
    { ConsumedCapacity: [capacity, capacity] },
  ],
  [
    'ExecuteStatement',
    () => new ExecuteStatementCommand({ Statement: 'SELECT 1', Parameters: [1, 'a', null] }),
    { Items: [json], LastEvaluatedKey: json },
  ],
];

describe.each(commands)('%s', (_name, create, body) => {
  test('has the request and the output of the SDK', async () => {
    const { lean, sdk } = await exchangeBoth(create, body);
    expect(parse(lean)).toEqual(parse(sdk));
    expect(lean.outcome).toEqual(sdk.outcome);
    expect(lean.outcome).toHaveProperty('output.$metadata.attempts', 1);
  });
});

/** Headers that differ between two requests of one client, and those that the lean client leaves out or replaces. */
const changing = ['amz-sdk-invocation-id', 'authorization', 'x-amz-date'];
const omitted = ['content-length', 'x-amz-user-agent'];
const getHeaders = ({ requests: [request] }: Exchange) =>
  Object.fromEntries(
    Object.entries({ ...request?.headers, 'user-agent': '' }).filter(
      ([name]) => ![...changing, ...omitted].includes(name),
    ),
  );

const getItem = () => new GetCommand({ TableName: 'table', Key: key });

test('sends the headers of the SDK', async () => {
  const { lean, sdk } = await exchangeBoth(getItem);
  expect(getHeaders(lean)).toEqual({ ...getHeaders(sdk), 'x-amz-content-sha256': expect.any(String) });
  expect(Object.keys(lean.requests[0]?.headers ?? {})).toEqual(expect.arrayContaining(changing));
  expect(lean.requests[0]?.headers['user-agent']).toMatch(/^aws-sdk-js\/\d+\.\d+\.\d+ .*lang\/js/);
});

test('signs a request as the signer of the SDK does, with the session token', async () => {
  const { requests } = await exchange('lean', new GetCommand({ TableName: 'table', Key: { pk: 'naïve 🔒' } }));
  const [request = expect.fail()] = requests;
  const { authorization, ...headers } = request.headers;
  const signer = new SignatureV4({ credentials, region: 'eu-central-1', service: 'dynamodb', sha256: Sha256 });
  const time = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const signed = await signer.sign(new HttpRequest({ ...request, headers }), { signingDate: new Date(time) });
  expect(authorization).toBe(signed.headers['authorization']);
  expect(authorization).toContain('x-amz-security-token;');
});

test('sends a token with a transaction that has none, as the SDK does', async () => {
  const { lean, sdk } = await exchangeBoth(() => new TransactWriteCommand({ TransactItems: [] }));
  const transaction = [{ TransactItems: [], ClientRequestToken: expect.stringMatching(/^[\da-f-]{36}$/) }];
  expect(parse(lean)).toEqual(transaction);
  expect(parse(sdk)).toEqual(transaction);
});

test.each([
  ['NaN', Number.NaN],
  ['an infinite number', Number.NEGATIVE_INFINITY],
  ['a number above 2^53', 2 ** 60],
  ['an instance of a class', new Date(0)],
  ['an empty set', new Set()],
  ['a set of objects', new Set([{}])],
  ['a symbol', Symbol('symbol')],
  ['an object with a property named constructor', { constructor: 'text' }],
])('rejects %s with the error of the SDK', async (_name, value) => {
  const { lean, sdk } = await exchangeBoth(() => new PutCommand({ TableName: 'table', Item: { list: [value] } }));
  expect(lean).toEqual(sdk);
  expect(lean.requests).toHaveLength(0);
});

test('returns attributes in the order of their names, whatever the order of the response', async () => {
  const Item = { sk: { S: 'a' }, map: { M: { b: { N: '1' }, a: { N: '2' } } }, pk: { S: 'b' } };
  const { outcome } = await exchange('lean', getItem(), { Item });
  const item = JSON.stringify({ map: { a: 2, b: 1 }, pk: 'b', sk: 'a' });
  expect(JSON.stringify((outcome as { output: { Item: object } }).output.Item)).toBe(item);
});

test('leaves out functions as the SDK does', async () => {
  const { lean, sdk } = await exchangeBoth(
    () => new PutCommand({ TableName: 'table', Item: { f: () => 1, list: [() => 1, 2] } }),
  );
  expect(parse(lean)).toEqual(parse(sdk));
});

const attribute = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.bigInt(),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;
property.prop([fc.dictionary(fc.string(), attribute)])('writes and reads any item as the SDK does', async (item) => {
  const written = await exchangeBoth(() => new PutCommand({ TableName: 'table', Item: item }));
  expect(parse(written.lean)).toEqual(parse(written.sdk));
  const [{ Item: sent = {} } = {}] = parse(written.sdk) as { Item?: object }[];
  const read = await exchangeBoth(getItem, { Item: sent });
  expect(read.lean.outcome).toEqual(read.sdk.outcome);
});

test.each<[string, DynamoDBClientConfig, string]>([
  ['eu-central-1', { region: 'eu-central-1' }, 'https://dynamodb.eu-central-1.amazonaws.com'],
  ['a region in China', { region: 'cn-north-1' }, 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
  ['the region local', { region: 'local' }, 'http://localhost:8000'],
  ['FIPS', { region: 'us-east-1', useFipsEndpoint: true }, 'https://dynamodb-fips.us-east-1.amazonaws.com'],
  [
    'an account',
    { region: 'us-east-1', credentials: { ...credentials, accountId: '123456789012' } },
    'https://123456789012.ddb.us-east-1.amazonaws.com',
  ],
  ['an endpoint with a path', { endpoint: 'http://127.0.0.1:8000/table' }, 'http://127.0.0.1:8000'],
])('sends requests to the endpoint of the SDK for %s', async (_name, configuration, origin) => {
  const { lean, sdk } = await exchangeBoth(getItem, {}, configuration);
  const destinations = [lean, sdk].map(({ requests: [request = expect.fail()] }) => ({
    origin: `${request.protocol}//${request.headers['host']}`,
    ...{ hostname: request.hostname, port: request.port, path: request.path, query: request.query },
    scope: /Credential=[^/]+\/\d+(\S+),/.exec(String(request.headers['authorization']))?.[1],
  }));
  expect(destinations[0]).toEqual(destinations[1]);
  expect(destinations[0]?.origin).toBe(origin);
});

test('uses an endpoint of the environment, as the SDK does', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:8001');
  const { lean, sdk } = await exchangeBoth(getItem);
  expect(lean.requests[0]?.port).toBe(8001);
  expect(sdk.requests[0]?.port).toBe(8001);
});

test('signs with new credentials after they have expired', async () => {
  const keys = ['FIRST', 'SECOND'];
  const client = (kind: ClientKind, used: string[]) =>
    openDocumentClient(kind, {
      region: 'eu-central-1',
      credentials: async () => ({ ...credentials, accessKeyId: keys[used.length] ?? '', expiration: new Date(0) }),
      requestHandler: {
        handle: async ({ headers }: HttpRequest) => {
          used.push(/Credential=([^/]+)/.exec(String(headers['authorization']))?.[1] ?? '');
          return { response: new HttpResponse({ statusCode: 200, body: Readable.from([]) }) };
        },
      },
    });
  for (const kind of clientKinds) {
    const used: string[] = [];
    const opened = client(kind, used);
    await opened.send(getItem());
    await opened.send(getItem());
    expect(used, kind).toEqual(keys);
  }
});

test('recovers from missing credentials', async () => {
  let isMissing = true;
  const configuration: DynamoDBClientConfig = {
    region: 'eu-central-1',
    credentials: async () => {
      if (isMissing) throw new Error('Credential is missing');
      return credentials;
    },
    requestHandler: {
      handle: async () => ({ response: new HttpResponse({ statusCode: 200, body: Readable.from([]) }) }),
    },
  };
  const client = openDocumentClient('lean', configuration);
  const failures = await Promise.all([
    outcomeOf(() => client.send(getItem())),
    outcomeOf(() => openDocumentClient('sdk', configuration).send(getItem())),
  ]);
  expect(failures[0]).toEqual(failures[1]);
  isMissing = false;
  await expect(client.send(getItem())).resolves.toHaveProperty('$metadata.httpStatusCode', 200);
});

// The lean client replaces these. Another list means that the SDK does something else with a request: read what it is,
// follow it in `lean-client.ts` if it matters, and change the list.
test('replaces the middlewares of the SDK that are known', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const client = openDocumentClient('sdk', { region: 'eu-central-1' });
  client.middlewareStack.identifyOnResolve(true);
  await client.send(getItem(), { abortSignal: AbortSignal.abort() }).catch(() => {});
  expect(log.mock.calls[0]?.[0]).toEqual([
    'loggerMiddleware - initialize',
    'DocumentMarshall - before serializerMiddleware',
    'httpAuthSchemeMiddleware - serialize',
    'endpointV2Middleware - serialize',
    'serializerMiddleware - serialize',
    'contentLengthMiddleware - build',
    'getUserAgentMiddleware - build',
    'hostHeaderMiddleware - build',
    'recursionDetectionMiddleware - build',
    'retryMiddleware - finalizeRequest',
    'httpSigningMiddleware (a.k.a. apiKeyMiddleware,tokenMiddleware,awsAuthMiddleware) - finalizeRequest',
    'DocumentUnmarshall - before deserializerMiddleware',
    'deserializerMiddleware - deserialize',
  ]);
});
