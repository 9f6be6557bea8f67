import { text } from 'node:stream/consumers';
import { startIssuer, type TestIssuer } from '../api/issuer.ts';

/** An identity provider whose identity tokens and responses are those that a test wants. */
export interface ForgingProvider extends TestIssuer {
  /** Parameters and headers of the requests to the token endpoint. */
  readonly tokenRequests: {
    readonly form: Readonly<Record<string, string>>;
    readonly authorization: string | undefined;
  }[];
  /** Claims of the next identity tokens; undefined leaves a claim out. */
  claims: Readonly<Record<string, unknown>>;
  /** Makes the next identity tokens from the usual one. */
  forge: (token: string) => string | Promise<string>;
}

/** Starts an identity provider that checks nothing. Each code is the nonce of its sign-in. */
export const startForgingProvider = async (metadata: object = {}): Promise<ForgingProvider> => {
  const issuer = await startIssuer('holdfast');
  const { url } = issuer;
  const provider: ForgingProvider = { ...issuer, tokenRequests: [], claims: {}, forge: (token) => token };
  issuer.respond('/.well-known/openid-configuration', (_, response) => {
    const document = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      ...metadata,
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  issuer.respond('/token', async (incoming, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(incoming)));
    provider.tokenRequests.push({ form, authorization: incoming.headers.authorization });
    const usual = { sub: 'ada', preferred_username: 'ada', nonce: form['code'], ...provider.claims };
    const document = {
      access_token: 'an-access-token',
      token_type: 'Bearer',
      id_token: await provider.forge(await issuer.sign(usual)),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  return provider;
};

/** Returns the address to which a forging provider sends a browser back. */
export const responseTo = (authorization: URL, parameters: Readonly<Record<string, string>> = {}): URL => {
  const response = new URL(authorization.searchParams.get('redirect_uri') ?? '');
  const { searchParams: sent } = authorization;
  response.search = new URLSearchParams({
    code: sent.get('nonce') ?? '',
    state: sent.get('state') ?? '',
    ...parameters,
  }).toString();
  return response;
};
