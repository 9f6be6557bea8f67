import { createServer, type Server } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { send } from '../../../functions/sign-in/get-text.ts';

/** Addresses of every host name. */
const found = vi.hoisted(() => ({ addresses: [] as { readonly address: string; readonly family: number }[] }));
vi.mock(import('node:dns'), async (importOriginal) => ({
  ...(await importOriginal()),
  lookup: ((_name: string, _options: object, callback: (error: null, addresses: object) => void) =>
    callback(null, found.addresses)) as never,
}));

const HERE = { address: '127.0.0.1', family: 4 };

describe('a request to an issuer whose host name has a private address', () => {
  const usual = https.globalAgent;
  let server: Server;
  let requests: (string | undefined)[];
  let connections: number;

  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      requests.push(url);
      response.end('{}');
    }).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    found.addresses = [HERE];
    requests = [];
    connections = 0;
  });
  afterEach(() => {
    https.globalAgent = usual;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const port = (): number => (server.address() as AddressInfo).port;
  const request = (path: string, isTrusted?: true) =>
    send(new URL(`https://localhost:${port()}${path}`), {
      signal: new AbortController().signal,
      ...(isTrusted && { isTrusted }),
    });
  const PRIVATE = 'localhost has an address of a private network';

  test('connects only if the issuer comes from the settings of the deployment', async () => {
    await expect(request('/untrusted')).rejects.toThrow(PRIVATE);
    expect(connections).toBe(0);
    await expect(request('/trusted', true)).rejects.toThrow();
    expect(connections).toBe(1);
  });

  test.each([
    ['first', [HERE, { address: '140.82.112.3', family: 4 }]],
    ['last', [{ address: '2606:50c0:8000::153', family: 6 }, HERE]],
  ])('does not connect if the private one is the %s of several', async (_, addresses) => {
    found.addresses = addresses;
    await expect(request('/untrusted')).rejects.toThrow(PRIVATE);
    expect(connections).toBe(0);
  });

  test('does not use the connection that an identity provider of the settings has left open', async () => {
    // Connections of this agent are without TLS, which the server does not have.
    https.globalAgent = Object.assign(new https.Agent({ keepAlive: true }), {
      createConnection: () => connect(port(), '127.0.0.1'),
    });
    expect((await request('/trusted', true)).status).toBe(200);
    await expect(request('/untrusted')).rejects.toThrow(PRIVATE);
    expect(requests).toEqual(['/trusted']);
  });
});
