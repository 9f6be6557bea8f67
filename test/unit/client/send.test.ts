import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ApiError, NoResponse } from '../../../shared/client/errors.ts';
import { type ApiRequest, apiRequest } from '../../../shared/client/request.ts';
import {
  createIdempotencyKey,
  fetchResponse,
  type SendOptions,
  sendRequest,
  withRetries,
} from '../../../shared/client/send.ts';

const origin = 'https://holdfast.example.com';
const account = apiRequest('get', '/api/v2/account/details', {});
const lock = apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/lock', {
  path: { workspace_id: 'ws-1' },
  body: { reason: 'maintenance' },
});

/** Response, or error in place of one, of each attempt. */
type Attempt = () => Response;

const ok: Attempt = () => Response.json({ data: { id: 'ws-1' } }, { headers: { etag: '"7"' } });
const failed =
  (status: number, headers: Readonly<Record<string, string>> = {}): Attempt =>
  () =>
    Response.json({ errors: [{ status: String(status), title: 'Title', detail: 'Detail' }] }, { status, headers });
const lost: Attempt = () => {
  throw new TypeError('fetch failed');
};
const broken: Attempt = () =>
  new Response(new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) }));

/** Creates a `fetch` that responds to each attempt in turn, and records the headers of the attempts. */
const createFetch = (...attempts: readonly Attempt[]) => {
  const sent: { readonly url: string; readonly headers: Headers; readonly body: unknown }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({ url: String(url), headers: new Headers(init.headers), body: init.body });
    init.signal?.throwIfAborted();
    const attempt = attempts[sent.length - 1];
    if (attempt === undefined) throw new Error(`Attempt ${sent.length} was not expected`);
    return attempt();
  };
  return { sent, options: { origin, token: 'hfu_1', fetch } };
};

const keysOf = (sent: readonly { readonly headers: Headers }[]) =>
  sent.map(({ headers }) => headers.get('idempotency-key'));

/** Settles a promise while the waits between attempts pass at once. */
const settle = async <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  await vi.runAllTimersAsync();
  return promise;
};

/** Sends a request with retries, all of them with the same idempotency key. */
const sendWithRetries = (request: ApiRequest, options: SendOptions) => {
  const idempotencyKey = createIdempotencyKey();
  return withRetries(() => sendRequest(request, { ...options, idempotencyKey }), { signal: options.signal });
};

/** Sends a request with retries whose waits pass at once. */
const sendPatiently = (request: ApiRequest, options: SendOptions) => {
  vi.useFakeTimers();
  return settle(sendWithRetries(request, options));
};

afterEach(() => {
  vi.useRealTimers();
});

test('sends a request to the origin with the token, the body and further headers', async () => {
  const { sent, options } = createFetch(ok);
  const reply = await sendRequest(lock, { ...options, headers: { 'user-agent': 'holdfast/1' }, idempotencyKey: 'k' });
  expect(reply).toEqual({ document: { data: { id: 'ws-1' } }, etag: '"7"' });
  expect(sent[0]?.url).toBe(`${origin}/api/v2/workspaces/ws-1/actions/lock`);
  expect(sent[0]?.body).toBe('{"reason":"maintenance"}');
  expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
    authorization: 'Bearer hfu_1',
    'content-type': 'application/vnd.api+json',
    'idempotency-key': '"k"',
    'user-agent': 'holdfast/1',
  });
});

test('sends a request that reads without an idempotency key, and without a token if there is none', async () => {
  const { sent, options } = createFetch(ok);
  await sendWithRetries(account, { ...options, token: null });
  expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({});
});

test('reports a response without content as an undefined document', async () => {
  const { options } = createFetch(() => new Response(null, { status: 204 }));
  expect(await sendRequest(lock, options)).toEqual({ document: undefined, etag: undefined });
});

test('reports an unsuccessful response with its error objects, its waiting time and its entity tag', async () => {
  const { options } = createFetch(failed(412, { 'retry-after': '3', etag: '"8"' }));
  await expect(sendRequest(lock, options)).rejects.toMatchObject({
    name: 'ApiError',
    message: 'Detail',
    status: 412,
    retryAfter: 3,
    etag: '"8"',
  });
});

test('reports an unsuccessful response of another server by its status', async () => {
  const { options } = createFetch(() => new Response('<html>Bad gateway</html>', { status: 502 }));
  await expect(sendRequest(lock, options)).rejects.toMatchObject({ status: 502, errors: [], message: 'Status 502' });
});

test('reports a response that breaks off, or is no JSON, as no response', async () => {
  for (const attempt of [broken, () => new Response('<html>Sign in to the network</html>')]) {
    await expect(sendRequest(account, createFetch(attempt).options)).rejects.toThrow(NoResponse);
  }
});

test.each([
  ['a lost response', lost],
  ['a response that breaks off', broken],
  ['the status 429', failed(429, { 'retry-after': '2' })],
  ['the status 503', failed(503)],
  ['a conflict with the first attempt of the same request', failed(409, { 'retry-after': '1' })],
])('repeats a request with the same idempotency key after %s', async (_, attempt) => {
  const { sent, options } = createFetch(attempt, attempt, ok);
  expect((await sendPatiently(lock, options)).etag).toBe('"7"');
  const keys = keysOf(sent);
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^"[0-9a-f]{32}"$/);
});

test('uses another idempotency key for each request', async () => {
  const { sent, options } = createFetch(ok, ok);
  await sendWithRetries(lock, options);
  await sendWithRetries(lock, options);
  expect(new Set(keysOf(sent)).size).toBe(2);
});

test.each([
  ['a rejection', failed(422)],
  ['a rejected token', failed(401)],
  ['a conflict with the state of the resource', failed(409)],
  ['a fault of the service', failed(500)],
  ['a maintenance of several minutes', failed(503, { 'retry-after': '300' })],
])('does not repeat a request after %s', async (_, attempt) => {
  const { sent, options } = createFetch(attempt);
  await expect(sendWithRetries(lock, options)).rejects.toThrow(ApiError);
  expect(sent).toHaveLength(1);
});

test('waits as long as the service says before it repeats a request', async () => {
  vi.useFakeTimers();
  const { sent, options } = createFetch(failed(429, { 'retry-after': '7' }), ok);
  const reply = sendWithRetries(lock, options);
  await vi.advanceTimersByTimeAsync(6_999);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
  await reply;
});

test('gives up after four attempts', async () => {
  const { sent, options } = createFetch(lost, lost, lost, lost);
  await expect(sendPatiently(lock, options)).rejects.toThrow(NoResponse);
  expect(sent).toHaveLength(4);
});

test('ends the wait between two attempts when the request is canceled', async () => {
  const { sent, options } = createFetch(failed(429, { 'retry-after': '10' }));
  const controller = new AbortController();
  const reply = sendWithRetries(lock, { ...options, signal: controller.signal });
  await vi.waitUntil(() => sent.length === 1);
  controller.abort(new Error('canceled by the user'));
  await expect(reply).rejects.toThrow('canceled by the user');
  expect(sent).toHaveLength(1);
});

test('reports a canceled request with the reason of its signal', async () => {
  const { options } = createFetch(ok);
  const signal = AbortSignal.abort(new Error('canceled by the user'));
  await expect(sendRequest(lock, { ...options, signal })).rejects.toThrow('canceled by the user');
});

/** Starts a server for one test. @returns its origin. */
const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('follows the redirect of a download to another origin without the token', async () => {
  const tokens: (string | undefined)[] = [];
  const bucket = await serve((request, response) => {
    tokens.push(request.headers.authorization);
    response.end('content');
  });
  const service = await serve((request, response) => {
    tokens.push(request.headers.authorization);
    response.writeHead(307, { location: `${bucket}/object?signature=1` }).end();
  });
  const request = apiRequest('get', '/api/v2/state-versions/{state_version_id}/download', {
    path: { state_version_id: 'sv-1' },
  });
  const response = await fetchResponse(request, { origin: service, token: 'hfu_1' });
  expect(await response.text()).toBe('content');
  expect(tokens).toEqual(['Bearer hfu_1', undefined]);
});
