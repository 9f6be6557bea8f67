import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/**
 * Where a secret goes: nowhere. All that passes between the store and the engine, which is all that ever gets into the
 * table, its stream and its backups, is written down here; so is every line of the log, and every answer.
 */
let engine: TestEngine;
let tape: Tape;
let api: Api;
let owner: string;
let workspace: string;
const logged: string[] = [];
const answered: string[] = [];

interface Tape {
  readonly endpoint: string;
  readonly passed: string[];
  /** Has the next write answered with an error that nobody expects. */
  failNext: boolean;
  readonly stop: () => void;
}

const startTape = async (target: string): Promise<Tape> => {
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = 'POST', url = '/', headers } = incoming;
    if (tape.failNext && String(headers['x-amz-target']).endsWith('TransactWriteItems')) {
      tape.failNext = false;
      outgoing
        .writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
        .end('{"__type":"x#Unheard","message":"?"}');
      return;
    }
    tape.passed.push(body.toString());
    const forwarded = send(target + url, { method, headers }, async (answer: IncomingMessage) => {
      const whole = Buffer.concat(await answer.toArray());
      tape.passed.push(whole.toString());
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(whole);
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

/** In every spelling that a text may turn up in. */
const spellings = (secret: string): string[] => [
  secret,
  secret.toLowerCase(),
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  // Base 64 of any alignment, without the ends that depend on what is beside it.
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
];

const expectNowhere = (secret: string): void => {
  for (const [where, lines] of Object.entries({ 'the table': tape.passed, 'the log': logged, answers: answered })) {
    for (const spelling of spellings(secret)) {
      expect(
        lines.filter((line) => line.includes(spelling)),
        `${spelling} in ${where}`,
      ).toEqual([]);
    }
  }
};

const request = async (method: string, path: string, body?: unknown, token = owner): Promise<Reply> => {
  const reply = await api.request(method, path, { token, ...(body !== undefined && { body }) });
  answered.push(JSON.stringify(reply));
  return reply;
};
const document = (attributes: object) => ({ data: { type: 'vars', attributes } });
let made = 0;
const create = (attributes: object) =>
  request('POST', `/workspaces/${workspace}/vars`, document({ key: `key-${++made}`, category: 'env', ...attributes }));
/** A text like no other. */
const canary = (): string => `canary/+${base58(24)}`;
const secretOf = async (id: string): Promise<string> => {
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
  tape = await startTape(engine.endpoint);
  api = await startApi({ engine, endpoint: tape.endpoint, logLevel: 'DEBUG' });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const body = { data: { type: 'workspaces', attributes: { name: 'network' } } };
  workspace = (await request('POST', '/organizations/acme/workspaces', body)).body.data.id;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
  tape.stop();
  await engine.stop();
});

describe('a secret is nowhere', () => {
  it('when it is created, shown, listed, replaced and deleted, and whoever has the key can read it', async () => {
    const [first, second] = [canary(), canary()];
    const { status, body } = await create({ value: first, sensitive: true });
    expect(status).toBe(201);
    const { id } = body.data;
    expect(await secretOf(id)).toBe(first);
    const path = `/workspaces/${workspace}/vars/${id}`;
    await request('GET', path);
    await request('GET', `/workspaces/${workspace}/vars`);
    await request('GET', '/vars');
    await request('GET', `/workspaces/${workspace}`);
    expect((await request('PATCH', path, document({ value: second, category: 'infra' }))).status).toBe(200);
    expect(await secretOf(id)).toBe(second);
    await request('PATCH', path, document({ description: 'd' }));
    expect(await secretOf(id)).toBe(second);
    await request('DELETE', path);
    for (const secret of [first, second]) expectNowhere(secret);
    expect(logged.some((line) => line.includes('Request answered'))).toBe(true);
  });

  it('when it is given to a variable that becomes sensitive by that', async () => {
    const secret = canary();
    const { id } = (await create({ value: 'known' })).body.data;
    const { body } = await request('PATCH', `/vars/${id}`, document({ value: secret, sensitive: true }));
    expect(body.data.attributes.value).toBeNull();
    expect(await secretOf(id)).toBe(secret);
    expectNowhere(secret);
  });

  it.each<[string, (secret: string) => Promise<Reply>, number]>([
    ['an attribute beside it', (value) => create({ value, sensitive: true, category: 'x' }), 422],
    ['its own type', (value) => create({ value: [value], sensitive: true }), 422],
    ['its length', (value) => create({ value: value + 'x'.repeat(262_144), sensitive: true }), 422],
    ['the key', (value) => create({ value, sensitive: true, key: 'k'.repeat(200) }), 422],
    ['the document', (value) => request('POST', '/vars', `{"data":{"attributes":{"value":"${value}" oops`), 400],
    [
      'the workspace',
      (value) =>
        request(
          'POST',
          '/workspaces/ws-1111111111111111/vars',
          document({ key: 'k', category: 'env', value, sensitive: true }),
        ),
      404,
    ],
    [
      'the caller',
      (value) =>
        request(
          'POST',
          `/workspaces/${workspace}/vars`,
          document({ key: 'k', category: 'env', value, sensitive: true }),
          'hfu_nobody',
        ),
      401,
    ],
  ])('when a request is refused for %s', async (_, attempt, status) => {
    const secret = canary();
    expect((await attempt(secret)).status).toBe(status);
    expectNowhere(secret);
  });

  it('when its key is taken', async () => {
    const [first, second] = [canary(), canary()];
    const { key } = (await create({ value: first, sensitive: true })).body.data.attributes;
    expect((await create({ key, value: second, sensitive: true })).status).toBe(422);
    for (const secret of [first, second]) expectNowhere(secret);
  });

  it('when the write fails as nobody expects, which is in the log', async () => {
    const secret = canary();
    tape.failNext = true;
    // No answer of the API's own, so the complaint about it holds the answer.
    const complaint = await create({ value: secret, sensitive: true }).catch(String);
    expect(complaint).toContain('answered 500');
    answered.push(String(complaint));
    expect(logged.some((line) => line.includes('Request failed by a fault of ours') && line.includes('Unheard'))).toBe(
      true,
    );
    expectNowhere(secret);
  });

  it('when the key service fails, which is in the log', async () => {
    const secret = canary();
    await api.keyService.stop();
    expect((await create({ value: secret, sensitive: true })).status).toBe(503);
    expect(logged.some((line) => line.includes('ECONNREFUSED'))).toBe(true);
    expectNowhere(secret);
  });
});

it('a value that is no secret is in answers and in the table, but in no line of the log and no change record', async () => {
  const value = canary();
  const { id } = (await create({ value })).body.data;
  await request('PATCH', `/vars/${id}`, document({ key: 'renamed', hcl: true }));
  expect(tape.passed.some((line) => line.includes(value))).toBe(true);
  expect(logged.filter((line) => line.includes(value))).toEqual([]);
  const { chg } = (await engine.database.get({ pk: `WS#${workspace}`, sk: 'W' })) as { chg: object };
  expect(chg).toEqual({
    id: expect.stringMatching(/^evt-/),
    type: 'workspace.variable-updated',
    actor: { kind: 'user', id: expect.stringMatching(/^user-/) },
    at: expect.any(Number),
    request: expect.any(String),
    keys: ['key', 'hcl'],
    variable: { id, category: 'env', key: 'renamed' },
  });
});
