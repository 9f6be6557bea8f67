import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openInvoke } from '../../shared/runtime/invoke.ts';

const received: { readonly url: string | undefined; readonly event: unknown }[] = [];
let respond: (response: ServerResponse, attempt: number) => void;
const server = createServer(async (request, response) => {
  received.push({ url: request.url, event: await json(request) });
  respond(response, received.length);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
});
beforeEach(() => {
  received.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('invoke', () => {
  it('sends the event to the function and returns its result', async () => {
    respond = (response) => response.end('{"statusCode":204}');
    expect(await openInvoke()('holdfast-variables', { a: 1 })).toEqual({ statusCode: 204 });
    expect(received).toEqual([{ url: '/2015-03-31/functions/holdfast-variables/invocations', event: { a: 1 } }]);
  });

  it('returns null for a function without a result', async () => {
    respond = (response) => response.end();
    expect(await openInvoke()('holdfast-state-content', {})).toBeNull();
  });

  it('throws the error of a function that failed, without another attempt', async () => {
    respond = (response) => response.setHeader('x-amz-function-error', 'Unhandled').end('{"errorMessage":"no table"}');
    await expect(openInvoke()('holdfast-variables', {})).rejects.toThrow('holdfast-variables failed: no table');
    expect(received).toHaveLength(1);
  });

  it.each([429, 500, 503])('repeats the invocation after the status %d', async (status) => {
    respond = (response, attempt) => {
      response.statusCode = attempt < 3 ? status : 200;
      response.end('"done"');
    };
    expect(await openInvoke()('holdfast-variables', {})).toBe('done');
    expect(received).toHaveLength(3);
  });

  it('repeats the invocation when the connection is lost', async () => {
    respond = (response, attempt) => (attempt === 1 ? response.destroy() : response.end('"done"'));
    expect(await openInvoke()('holdfast-variables', {})).toBe('done');
  });

  it('gives up after three attempts, and at once when the invocation is not allowed', async () => {
    respond = (response) => response.writeHead(503).end();
    await expect(openInvoke()('holdfast-variables', {})).rejects.toThrow('returned 503');
    expect(received).toHaveLength(3);
    respond = (response) => response.writeHead(403).end();
    await expect(openInvoke()('holdfast-variables', {})).rejects.toThrow('returned 403');
    expect(received).toHaveLength(4);
  });

  it('gives up when the time of all attempts is used up', async () => {
    onTestFinished(() => void vi.useRealTimers());
    respond = (response) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
      response.writeHead(503).end();
    };
    await expect(openInvoke(60_000)('holdfast-variables', {})).rejects.toThrow('returned 503');
    expect(received).toHaveLength(1);
  });

  it('gives up at the timeout when there is no response', async () => {
    respond = () => undefined;
    await expect(openInvoke(200)('holdfast-variables', {})).rejects.toThrow();
  });
});
