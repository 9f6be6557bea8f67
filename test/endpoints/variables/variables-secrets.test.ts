import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/**
 * A sensitive value must not leave the service. The test records all traffic between the store and the engine (which is
 * everything that reaches the table, its stream and its backups), every log line and every response.
 */
let engine: TestEngine;
let recorder: Recorder;
let api: Api;
let owner: string;
let workspace: string;
const logged: string[] = [];
const responses: string[] = [];

interface Recorder {
  readonly endpoint: string;
  readonly passed: string[];
  /** Lets the next write fail with an unexpected error. */
  failNext: boolean;
  readonly stop: () => void;
}

const startRecorder = async (target: string): Promise<Recorder> => {
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = 'POST', url = '/', headers } = incoming;
    if (recorder.failNext && String(headers['x-amz-target']).endsWith('TransactWriteItems')) {
      recorder.failNext = false;
      outgoing
        .writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
        .end('{"__type":"x#Unheard","message":"?"}');
      return;
    }
    recorder.passed.push(body.toString());
    const forwarded = send(target + url, { method, headers }, async (response: IncomingMessage) => {
      const whole = Buffer.concat(await response.toArray());
      recorder.passed.push(whole.toString());
      outgoing.writeHead(response.statusCode ?? 500, response.headers).end(whole);
    });
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    failNext: false,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Lists the encodings in which a value could appear. */
const spellings = (secret: string): string[] => [
  secret,
  secret.toLowerCase(),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  // Base64 of each alignment, without the ends that depend on the neighboring bytes.
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
];

const expectNotRecorded = (secret: string): void => {
  for (const [where, lines] of Object.entries({
    'the table': recorder.passed,
    'the log': logged,
    responses,
  })) {
    for (const spelling of spellings(secret)) {
      expect(
        lines.filter((line) => line.includes(spelling)),
        `${spelling} in ${where}`,
      ).toEqual([]);
    }
  }
};

const request = async (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> => {
  const reply = await api.request(method, path, { token, ...(body !== undefined && { body }) });
  responses.push(JSON.stringify(reply));
  return reply;
};
const document = (attributes: object) => ({ data: { type: 'vars', attributes } });
let createdCount = 0;
const create = (attributes: object) =>
  request(
    'POST',
    `/workspaces/${workspace}/vars`,
    document({ key: `key-${++createdCount}`, category: 'env', ...attributes }),
  );
/** Creates a unique value. */
const canary = (): string => `canary/+${base58(24)}`;
const decryptValue = async (id: string): Promise<string> => {
  const { category, key } = (await engine.database.get({ pk: `REF#${id}`, sk: 'R' })) as Record<string, string>;
  const item = await engine.database.get({ pk: `WS#${workspace}`, sk: `V#${category}#${key}` });
  return api.keyService.open(item?.['sealed'] as Uint8Array, { workspace, variable: id });
};

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
  }
  engine = await startEngine();
  recorder = await startRecorder(engine.endpoint);
  api = await startApi({ engine, endpoint: recorder.endpoint, logLevel: 'DEBUG' });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const body = { data: { type: 'workspaces', attributes: { name: 'network' } } };
  workspace = (await request('POST', '/organizations/acme/workspaces', body)).body.data.id;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
  recorder.stop();
  await engine.stop();
});

describe('sensitive value of a variable', () => {
  it('never appears when the variable is created, shown, listed, replaced, verified and deleted, and can be decrypted with the key', async () => {
    const [first, second] = [canary(), canary()];
    const { status, body } = await create({ value: first, sensitive: true });
    expect(status).toBe(201);
    const { id } = body.data;
    expect(await decryptValue(id)).toBe(first);
    const path = `/workspaces/${workspace}/vars/${id}`;
    await request('GET', path);
    await request('GET', `/workspaces/${workspace}/vars`);
    await request('GET', '/vars');
    await request('GET', `/workspaces/${workspace}`);
    expect((await request('PATCH', path, document({ value: second, category: 'infra' }))).status).toBe(200);
    expect(await decryptValue(id)).toBe(second);
    await request('PATCH', path, document({ description: 'd' }));
    expect(await decryptValue(id)).toBe(second);
    const guess = canary();
    for (const [value, matches] of [
      [second, true],
      [guess, false],
    ] as const) {
      const verified = await request('POST', `${path}/actions/verify`, { value });
      expect(verified.body.data.attributes).toEqual({ matches });
    }
    await request('DELETE', path);
    for (const secret of [first, second, guess]) expectNotRecorded(secret);
    expect(logged.some((line) => line.includes('Request completed'))).toBe(true);
  });

  it('never appears when it is set in the request that makes the variable sensitive', async () => {
    const secret = canary();
    const { id } = (await create({ value: 'known' })).body.data;
    const { body } = await request('PATCH', `/vars/${id}`, document({ value: secret, sensitive: true }));
    expect(body.data.attributes.value).toBeNull();
    expect(await decryptValue(id)).toBe(secret);
    expectNotRecorded(secret);
  });

  it.each<[string, (secret: string) => Promise<ApiResponse>, number]>([
    ['an invalid attribute', (value) => create({ value, sensitive: true, category: 'x' }), 422],
    ['an invalid type', (value) => create({ value: [value], sensitive: true }), 422],
    ['an invalid length', (value) => create({ value: value + 'x'.repeat(262_144), sensitive: true }), 422],
    ['an invalid key', (value) => create({ value, sensitive: true, key: 'k'.repeat(200) }), 422],
    [
      'a malformed document',
      (value) => request('POST', '/vars', `{"data":{"attributes":{"value":"${value}" oops`),
      400,
    ],
    [
      'an unknown workspace',
      (value) =>
        request(
          'POST',
          '/workspaces/ws-1111111111111111/vars',
          document({ key: 'k', category: 'env', value, sensitive: true }),
        ),
      404,
    ],
    [
      'an invalid token',
      (value) =>
        request(
          'POST',
          `/workspaces/${workspace}/vars`,
          document({ key: 'k', category: 'env', value, sensitive: true }),
          'hfu_nobody',
        ),
      401,
    ],
  ])('never appears when a request is rejected for %s', async (_, attempt, status) => {
    const secret = canary();
    expect((await attempt(secret)).status).toBe(status);
    expectNotRecorded(secret);
  });

  it('never appears when the key is already taken', async () => {
    const [first, second] = [canary(), canary()];
    const { key } = (await create({ value: first, sensitive: true })).body.data.attributes;
    expect((await create({ key, value: second, sensitive: true })).status).toBe(422);
    for (const secret of [first, second]) expectNotRecorded(secret);
  });

  it('never appears when the write fails with an unexpected error, which is logged', async () => {
    const secret = canary();
    recorder.failNext = true;
    // The response violates the OpenAPI document, so the conformance error contains it.
    const conformanceError = await create({ value: secret, sensitive: true }).catch(String);
    expect(conformanceError).toContain('answered 500');
    responses.push(String(conformanceError));
    expect(
      logged.some((line) => line.includes('Request failed with an internal error') && line.includes('Unheard')),
    ).toBe(true);
    expectNotRecorded(secret);
  });

  it('never appears when the key service fails, which is logged', async () => {
    const secret = canary();
    await api.keyService.stop();
    expect((await create({ value: secret, sensitive: true })).status).toBe(503);
    expect(logged.some((line) => line.includes('ECONNREFUSED'))).toBe(true);
    expectNotRecorded(secret);
  });
});

it('value of a variable that is not sensitive appears in responses and the table, but not in the log or the change record', async () => {
  const value = canary();
  const { id } = (await create({ value })).body.data;
  await request('PATCH', `/vars/${id}`, document({ key: 'renamed', hcl: true }));
  expect(recorder.passed.some((line) => line.includes(value))).toBe(true);
  expect(logged.filter((line) => line.includes(value))).toEqual([]);
  const { chg } = (await engine.database.get({ pk: `WS#${workspace}`, sk: 'W' })) as { chg: object };
  expect(chg).toEqual({
    id: expect.stringMatching(/^evt-/),
    type: 'workspace.variable-updated',
    actor: { kind: 'user', id: expect.stringMatching(/^user-/), name: 'ada' },
    token: expect.stringMatching(/^at-/),
    address: '127.0.0.1',
    at: expect.any(Number),
    request: expect.any(String),
    keys: ['key', 'hcl'],
    variable: { id, category: 'env', key: 'renamed' },
    versions: { old: expect.any(String), new: expect.any(String) },
  });
});
