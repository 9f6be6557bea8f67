import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
type Respond = (incoming: IncomingMessage, response: ServerResponse) => void;

/** An issuer of identity tokens on this machine, with OpenID Connect Discovery. */
export interface TestIssuer {
  readonly url: string;
  /** Paths that were requested since the last call. */
  readonly takeRequests: () => string[];
  /** Signs claims. The claims that every token has are added, unless they are given; undefined leaves one out. */
  readonly sign: (
    claims?: Readonly<Record<string, unknown>>,
    header?: { readonly alg?: string; readonly kid?: string },
  ) => Promise<string>;
  /** Public keys of the issuer, by key id. */
  readonly publicKeys: () => readonly JWK[];
  /** Adds a key and signs with it from now on. */
  readonly rotate: (alg?: string) => Promise<void>;
  /** Replaces the response to a path. */
  readonly respond: (path: string, respond: Respond) => void;
  readonly stop: () => Promise<void>;
}

const DISCOVERY = '/.well-known/openid-configuration';

const json =
  (document: object): Respond =>
  (_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  };

/** Starts an issuer with one key. */
export const startIssuer = async (audience: string): Promise<TestIssuer> => {
  const keys: { readonly kid: string; readonly alg: string; readonly pair: KeyPair; readonly jwk: JWK }[] = [];
  const replaced = new Map<string, Respond>();
  let requests: string[] = [];
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '';
    requests.push(path);
    const usual: Readonly<Record<string, Respond>> = {
      [DISCOVERY]: json({ issuer: url, jwks_uri: `${url}/keys` }),
      '/keys': json({ keys: keys.map(({ jwk }) => jwk) }),
    };
    const respond = replaced.get(path) ?? usual[path];
    if (respond === undefined) response.writeHead(404).end();
    else respond(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const rotate = async (alg = 'RS256'): Promise<void> => {
    const kid = `key-${keys.length + 1}`;
    const pair = await generateKeyPair(alg, { extractable: true });
    keys.push({ kid, alg, pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } });
  };
  await rotate();

  return {
    url,
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    sign: async (claims = {}, header = {}) => {
      const { kid, alg, pair } = keys.at(-1) as (typeof keys)[number];
      const now = Math.floor(Date.now() / 1_000);
      const all = {
        iss: url,
        aud: audience,
        sub: 'repo:acme/network',
        jti: 'one',
        iat: now,
        exp: now + 300,
        ...claims,
      };
      return new SignJWT(all).setProtectedHeader({ typ: 'JWT', kid, alg, ...header }).sign(pair.privateKey);
    },
    publicKeys: () => keys.map(({ jwk }) => jwk),
    rotate,
    respond: (path, respond) => replaced.set(path, respond),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
