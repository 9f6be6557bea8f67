import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSigned, type SignedRequest } from '../../shared/lib/signed-request.ts';

/** Requests that are signed without the client of their service: checked as the service would. */
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const REGION = 'eu-central-1';

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}
let received: Received | undefined;
let respond: (response: ServerResponse) => void;
const server = createServer(async (request, response) => {
  received = { request, body: await text(request) };
  respond(response);
});
let endpoint: URL;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  received = undefined;
  respond = (response) => response.end('content');
});

const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');
const hmac = (key: string | Buffer, of: string): Buffer => createHmac('sha256', key).update(of).digest();

/** The signature that what was received must have, by the rules of Signature Version 4. */
const signatureOf = ({ request, body }: Received, service: string): string => {
  const { authorization = '', 'x-amz-date': date = '' } = request.headers as Record<string, string>;
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const path = request.url ?? '';
  const canonical = [
    request.method,
    service === 's3' ? path : path.split('/').map(encodeURIComponent).join('/'),
    '',
    ...names.split(';').map((name) => `${name}:${request.headers[name]}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${date.slice(0, 8)}/${REGION}/${service}/aws4_request`;
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${SECRET}`);
  return hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
};

describe.each([
  ['s3', { method: 'GET', host: 'bucket.s3', path: '/catalogues/acme-1_x', pathPrefix: '/bucket' }],
  ['s3', { method: 'DELETE', host: 'bucket.s3', path: '/catalogues/acme', pathPrefix: '/bucket' }],
  [
    'lambda',
    {
      method: 'POST',
      host: 'lambda',
      path: '/2015-03-31/functions/holdfast-list-index-snapshots/invocations',
      headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
      body: '{"organization":"acme"}',
    },
  ],
] as const satisfies readonly (readonly ['s3' | 'lambda', SignedRequest])[])('a request to %s', (service, request) => {
  it(`has a valid signature for ${request.method}`, async () => {
    const response = await openSigned(service, { region: REGION, endpoint })(request, 5_000);
    expect(String(response.content)).toBe('content');
    const { headers, url } = (received as Received).request;
    expect(url).toBe(`${'pathPrefix' in request ? request.pathPrefix : ''}${request.path}`);
    expect(headers.authorization).toContain(`Signature=${signatureOf(received as Received, service)}`);
    expect(headers).toMatchObject({
      'x-amz-security-token': 'session',
      'x-amz-content-sha256': sha256((received as Received).body),
    });
  });
});

describe('a request without a complete successful response', () => {
  const get = { method: 'GET', host: 'bucket.s3', path: '/a', pathPrefix: '/bucket' } as const;
  const send = (milliseconds: number) => openSigned('s3', { region: REGION, endpoint })(get, milliseconds);

  it.each([
    ['an error status', (response: ServerResponse) => response.writeHead(403).end('<Error/>')],
    ['no response', () => {}],
    ['half', (response: ServerResponse) => void response.writeHead(200, { 'content-length': 100 }).write('half')],
    ['a closed connection', (response: ServerResponse) => response.writeHead(200, { 'content-length': 9 }).destroy()],
  ])('is rejected within its timeout: %s', async (_, given) => {
    respond = given;
    await expect(send(300)).rejects.toThrow();
  });

  it('goes to the host of the bucket if no endpoint is configured', async () => {
    const nowhere = openSigned('s3', { region: 'nowhere-1' });
    await expect(nowhere(get, 2_000)).rejects.toThrow(/bucket\.s3\.nowhere-1\.amazonaws\.com|timed out|timeout|abort/i);
  });
});
