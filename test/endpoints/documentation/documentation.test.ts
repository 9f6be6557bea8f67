import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentOf } from '../../../shared/openapi/document.ts';
import { routes } from '../../../shared/routes/index.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { servedCommandLine } from '../../support/api/handlers.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { expectOurHeaders } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Documentation endpoints, which need no authentication. */
let engine: TestEngine;
let api: Api;

beforeAll(async () => {
  engine = await startEngine();
  api = await startApi({ engine });
});
afterAll(async () => {
  await api.stop();
  await engine.stop();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => api.request('GET', path, { headers });
const paths = [routes['documentation.openapi'], routes['documentation.page'], routes['documentation.discovery']].map(
  ({ path }) => path,
);

describe.each(paths)('GET %s', (path) => {
  it('returns 200 to anyone, whatever credentials the request carries', async () => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { accept: 'image/png' }]) {
      const reply = await get(`${path}?include=everything`, headers);
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({ 'tfp-api-version': '2.6', 'x-content-type-options': 'nosniff' });
    }
  });

  it('returns cache headers, and 304 for a matching If-None-Match', async () => {
    const { headers, body } = await get(path);
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', vary: 'accept-encoding' });
    const { etag = '' } = headers;
    const strong = etag.replace('W/', '');
    for (const held of [etag, strong, '*', `"other", ${etag}`]) {
      const again = await get(path, { 'if-none-match': held });
      expect(again, held).toMatchObject({ status: 304, headers: { etag }, body: undefined });
    }
    for (const held of ['', '"other"', strong.slice(1, -1), `"${strong}"`]) {
      expect(await get(path, { 'if-none-match': held }), held).toMatchObject({ status: 200, body });
    }
  });

  it('returns gzip content only when the client accepts it, with the same body', async () => {
    const plain = await get(path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (const accepted of ['gzip', 'br, GZIP;q=0.5', '*', 'deflate,gzip']) {
      const compressed = await get(path, { 'accept-encoding': accepted });
      expect(compressed.headers, accepted).toHaveProperty('content-encoding', 'gzip');
      expect(compressed).toMatchObject({ body: plain.body, headers: { etag: plain.headers['etag'] } });
    }
    for (const rejected of ['', 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'x-gzipped']) {
      expect((await get(path, { 'accept-encoding': rejected })).headers, rejected).not.toHaveProperty(
        'content-encoding',
      );
    }
  });

  it('returns 405 for another method', async () => {
    const reply = await api.request('POST', path, { body: {} });
    expectOurHeaders(reply);
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });
});

it('GET /openapi.json returns the document of the deployed edition', async () => {
  expect((await get('/openapi.json')).body).toEqual(documentOf('self-hosted'));
  const hosted = await startApi({ engine, edition: 'hosted' });
  const reply = await hosted.request('GET', '/openapi.json');
  expect(reply.body).toEqual(documentOf('hosted'));
  expect((await hosted.request('GET', '/docs')).body).toContain('assessments-enabled');
  await hosted.stop();
});

it('GET /.well-known/terraform.json leads command-line tools from the host name to the API', async () => {
  const { body } = await get('/.well-known/terraform.json');
  // Each name is the one that some client looks for.
  for (const name of ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2']) {
    expect(new URL('ping', new URL(body[name], 'https://holdfast.test')).pathname).toBe(routes.ping.path);
  }
});

describe('the command line', () => {
  it.each([
    ['holdfast.mjs', 'text/javascript; charset=utf-8'],
    ['holdfast.mjs.sha256', 'text/plain; charset=utf-8'],
  ] as const)('is served with its checksum to anyone: GET /cli/%s', async (name, mediaType) => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { accept: 'image/png' }]) {
      const reply = await get(`/cli/${name}`, headers);
      expect(reply).toMatchObject({ status: 200, body: servedCommandLine[name] });
      expect(reply.headers).toMatchObject({ 'content-type': mediaType, 'cache-control': 'no-cache' });
      expect(reply.headers).not.toHaveProperty('content-encoding');
    }
  });

  it('is compressed only for a client that accepts it, and not sent again to one that has it', async () => {
    const { headers, body } = await get('/cli/holdfast.mjs', { 'accept-encoding': 'gzip' });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(body).toBe(servedCommandLine['holdfast.mjs']);
    const { etag = '' } = headers;
    const again = await get('/cli/holdfast.mjs', { 'if-none-match': etag, 'accept-encoding': 'gzip' });
    expect(again).toMatchObject({ status: 304, headers: { etag }, body: undefined });
  });

  it('has no other path and no other method', async () => {
    for (const path of ['/cli', '/cli/', '/cli/holdfast.cjs', '/cli/..%2findex.mjs'])
      expect(await get(path), path).toMatchObject({ status: 404 });
    for (const method of ['POST', 'HEAD'])
      expect(await api.request(method, '/cli/holdfast.mjs')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });
});

describe('GET /docs', () => {
  it('returns a content security policy that prevents the browser from loading anything', async () => {
    const { headers, body } = await get('/docs');
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'no-referrer' });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(
      /<(?:script|img|iframe)[^>]* src=|<link[^>]*rel="stylesheet"|@import|url\(|style="|\son\w+="/,
    );
  });

  it('has an anchor for every operation and schema, and no broken links', async () => {
    const { body }: { body: string } = await get('/docs');
    const { components } = documentOf('self-hosted');
    const anchors = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    expect(anchors.size).toBe([...body.matchAll(/ id="/g)].length);
    for (const operation of Object.values(documentOf('self-hosted').paths).flatMap(Object.values)) {
      expect(anchors).toContain(operation.operationId);
    }
    for (const name of Object.keys(components.schemas)) {
      if (!name.endsWith('Errors')) expect(anchors).toContain(name);
    }
    for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(target);
  });
});

it('GET /ping returns 204 with the version of the API to anyone', async () => {
  expect(await get('/ping')).toMatchObject({
    status: 204,
    headers: { 'tfp-api-version': '2.6', 'tfp-appname': 'Holdfast' },
    body: undefined,
  });
});
