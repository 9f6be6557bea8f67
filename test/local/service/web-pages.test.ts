import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ServiceOptions, startService } from '../../../infra/local/service/service.ts';
import { temporaryFolder, thingsTable, writeAssembly } from '../../support/local/small-assembly.ts';

/** Requests of web pages to each port that the local service opens. */

const ALLOWED = 'https://app.example';
const endpoints = `export const handler = async () => Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_')));`;

const start = async (options: Partial<ServiceOptions> = {}) => {
  const assembly = writeAssembly({
    functions: { api: { code: endpoints } },
    routes: { $default: 'api' },
    cors: { AllowOrigins: [ALLOWED], AllowMethods: ['GET'] },
    table: thingsTable,
  });
  const service = await startService({ dataFolder: join(temporaryFolder(), 'data'), assembly, ...options });
  onTestFinished(() => service.stop());
  const outcome = await service.functions.invoke('api', '{}');
  if (outcome.kind !== 'succeeded') throw new Error(`The function ${outcome.kind}`);
  const urls = JSON.parse(outcome.payload) as Record<string, string>;
  return {
    api: service.origin,
    services: urls['AWS_ENDPOINT_URL_SQS'] ?? '',
    bucket: urls['AWS_ENDPOINT_URL_S3'] ?? '',
    engine: urls['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
  };
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

const send = (origin: string, { method = 'GET', path = '/', headers = {} }: Sent) =>
  new Promise<{ status: number | undefined; cors: string | undefined }>((resolve, reject) => {
    request(`${origin}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, cors: response.headers['access-control-allow-origin'] });
    })
      .on('error', reject)
      .end(method === 'POST' ? '{}' : undefined);
  });

/** Headers that browsers add to a request of a page of another site. */
const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
const foreignRequests: [string, Sent][] = [
  ['a request of a page of another origin', { headers: foreign }],
  ['a request of a page on another port of this computer', { headers: { origin: 'http://127.0.0.1:1' } }],
  ['a request of a sandboxed page', { headers: { origin: 'null' } }],
  ['a preflight request', { method: 'OPTIONS', headers: { ...foreign, 'access-control-request-method': 'POST' } }],
  ['a POST without a preflight request', { method: 'POST', headers: { ...foreign, 'content-type': 'text/plain' } }],
  ['a navigation', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } }],
  ['a foreign Host header', { headers: { host: 'rebound.example' } }],
];

describe.each(['api', 'services', 'bucket'] as const)('port %s', (port) => {
  it.each(foreignRequests)('rejects %s', async (_, sent) => {
    const { [port]: origin } = await start();
    expect(await send(origin, sent)).toEqual({ status: 403, cors: undefined });
  });
});

describe('port api', () => {
  it('responds to programs, to its own pages and to pages of the CORS configuration', async () => {
    const { api } = await start();
    const localhost = api.replace('127.0.0.1', 'localhost');
    expect(await send(api, {})).toEqual({ status: 200, cors: undefined });
    expect(await send(api, { headers: { origin: api, 'sec-fetch-site': 'same-origin' } })).toMatchObject({
      status: 200,
    });
    expect(await send(localhost, { headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } })).toEqual({
      status: 200,
      cors: undefined,
    });
    const allowed = { origin: ALLOWED, 'sec-fetch-site': 'cross-site' };
    expect(await send(api, { headers: allowed })).toEqual({ status: 200, cors: ALLOWED });
    expect(
      await send(api, { method: 'OPTIONS', headers: { ...allowed, 'access-control-request-method': 'GET' } }),
    ).toEqual({ status: 204, cors: ALLOWED });
  });
});

describe('a navigation from another site', () => {
  const page = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it.each(['/', '/app', '/app/acme?q=1', '/sign-in/local/callback?code=1&state=2', '/oauth2/authorize?client_id=3'])(
    'shows a page of the console or of sign-in: %s',
    async (path) => {
      const { api } = await start();
      expect((await send(api, { path, headers: page })).status).toBe(200);
    },
  );

  it.each([
    ['for another path', { path: '/api/v2/ping', headers: page }],
    ['for a path that only begins in this way', { path: '/sign-in/local/callback/more', headers: page }],
    ['in a frame', { path: '/app', headers: { ...page, 'sec-fetch-dest': 'iframe' } }],
    ['with another method', { method: 'POST', path: '/app', headers: page }],
    ['with an origin', { path: '/app', headers: { ...page, origin: 'https://evil.example' } }],
    ['by a script', { path: '/app', headers: { ...page, 'sec-fetch-mode': 'no-cors' } }],
    ['under a foreign name', { path: '/app', headers: { ...page, host: 'rebound.example' } }],
  ] as const)('is rejected %s', async (_, sent) => {
    const { api } = await start();
    expect((await send(api, sent)).status).toBe(403);
  });
});

describe('port api behind a proxy', () => {
  it('responds to pages under its public URL, and to no other page', async () => {
    const { api } = await start({ publicUrl: 'https://holdfast.example' });
    const proxied = { host: 'holdfast.example', origin: 'https://holdfast.example' };
    expect((await send(api, { headers: proxied })).status).toBe(200);
    expect((await send(api, { headers: { ...proxied, origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send(api, { headers: { host: 'evil.example' } })).status).toBe(403);
  });
});

describe.each(['services', 'bucket'] as const)('port %s', (port) => {
  it('rejects pages of the API, pages of the CORS configuration and unsigned requests', async () => {
    const { api, [port]: origin } = await start();
    for (const headers of [{ origin: api }, { origin: ALLOWED }, { 'sec-fetch-site': 'same-origin' }, {}])
      expect(await send(origin, { headers: headers as Record<string, string> })).toEqual({
        status: 403,
        cors: undefined,
      });
  });
});

describe('port of the embedded engine', () => {
  it('is one to which fetch does not connect', async () => {
    const { engine } = await start();
    expect((await send(engine, {})).status).toBe(200);
    await expect(fetch(engine)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  });
});
