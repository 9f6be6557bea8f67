import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFiles } from '../../../functions/console/files.ts';
import { createSecurityHeaders } from '../../../functions/console/security-headers.ts';
import { serveConsole } from '../../../functions/console/serve.ts';
import { findStateOrigin } from '../../../functions/console/state-origin.ts';
import { openBucket } from '../../../shared/blob/bucket.ts';
import type { HttpEvent } from '../../../shared/http/request.ts';

const files = { 'index.html': '<!doctype html>', 'assets/main-1a2b3c4d.js': 'export {};' };
const STATES = 'https://states.example.com';
let folder: string;
let serve: ReturnType<typeof serveConsole>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-console-'));
  mkdirSync(join(folder, 'assets'));
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content));
  }
  writeFileSync(join(folder, '../holdfast-console-secret.html.gz'), gzipSync('outside'));
  serve = serveConsole(openFiles(pathToFileURL(`${folder}/`)), createSecurityHeaders(STATES));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(tmpdir(), 'holdfast-console-secret.html.gz'));
});

const get = (rawPath: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = serve({ rawPath, headers } as unknown as HttpEvent);
  return { ...response, content: Buffer.from(response.body ?? '', 'base64') };
};

describe('the function console', () => {
  it.each(['/', '/app', '/app/', '/app/acme/workspaces/network', '/app/settings/tokens', '/app/a%2Fb.js'])(
    'returns the page at %s, and forbids to cache it',
    (path) => {
      const { statusCode, headers, content } = get(path, { accept: 'text/html,application/json' });
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      expect(content.toString()).toBe(files['index.html']);
    },
  );

  it('returns an asset that may be cached for a year', () => {
    const { headers, content } = get('/assets/main-1a2b3c4d.js');
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(content.toString()).toBe(files['assets/main-1a2b3c4d.js']);
  });

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
    ['gzip', 'gzip', gunzipSync],
    ['*', 'gzip', gunzipSync],
    ['identity', undefined, (content: Buffer) => content],
  ] as const)('sends the stored encoding that Accept-Encoding %s prefers', (accepted, encoding, decode) => {
    const { headers, content } = get('/assets/main-1a2b3c4d.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['vary']).toBe('accept-encoding');
    expect(decode(content).toString()).toBe(files['assets/main-1a2b3c4d.js']);
  });

  it.each([
    '/assets/main-00000000.js',
    '/assets/',
    '/assets/../index.html',
    '/assets/../../holdfast-console-secret.html',
    '/assets/main-1a2b3c4d.js.gz',
  ])('returns 404 for %s, which is no asset', (path) => {
    expect(() => get(path)).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  it('returns 404 at / to a client that wants JSON, as it is without the console', () => {
    for (const accept of ['application/json', 'application/vnd.api+json, */*;q=0.1'])
      expect(() => get('/', { accept })).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(get('/', { accept: '*/*' }).statusCode).toBe(200);
  });

  it.each(['/app', '/assets/main-1a2b3c4d.js'])('sends headers with %s that forbid foreign and inline code', (path) => {
    const { headers } = get(path);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).not.toMatch(/unsafe|\*|blob:/);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`connect-src 'self' ${STATES}`);
    for (const directive of ['object-src', 'base-uri', 'frame-ancestors'])
      expect(policy).toContain(`${directive} 'none'`);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('the origin of states in the Content-Security-Policy', () => {
  it.each(['eu-central-1', 'us-east-1', 'cn-north-1'])('is that of presigned URLs in %s', async (region) => {
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const url = await openBucket('states', { region, credentials }).downloadUrl('key', undefined, 60);
    expect(findStateOrigin({ bucket: 'states', region })).toBe(new URL(url).origin);
  });

  it('is that of the endpoint of S3, or of a proxy in front of it', () => {
    const local = { bucket: 'states', region: 'eu-central-1', endpoint: new URL('http://127.0.0.1:9000/') };
    expect(findStateOrigin(local)).toBe('http://127.0.0.1:9000');
    expect(findStateOrigin({ ...local, presignedOrigin: 'https://holdfast.example.com' })).toBe(
      'https://holdfast.example.com',
    );
  });
});
