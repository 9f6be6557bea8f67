import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JWK } from 'jose';
import { type ClientMetadata, type Configuration, Provider } from 'oidc-provider';
import { base58 } from '../../../shared/lib/random.ts';
import { LOOPBACK } from '../http/loopback.ts';
import { gatewayError } from '../http/messages.ts';
import { listen } from '../http/server.ts';
import { createMemoryAdapter } from './memory-adapter.ts';
import { signInPage, signOutPage, textPage } from './pages.ts';
import { demoPeople, type People } from './people.ts';
import { createSigningKey } from './signing-key.ts';

export interface IdentityProviderOptions {
  /** 0, the default, chooses any free port. */
  readonly port?: number;
  /** Registered clients, with their redirect addresses. */
  readonly clients: readonly ClientMetadata[];
  /** Default: Ada, Grace and Joan. The claims are read at each sign-in, so tests may change them. */
  readonly people?: People;
  /** Private key by which tokens are signed. By default, a new one. */
  readonly key?: JWK;
}

/** A running OpenID Connect provider on this computer. */
export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

const HOUR = 3_600;
const SCOPES = ['openid', 'profile', 'email'];

/** Returns the claims of each scope. Claims that no scope of OpenID Connect has are in every token. */
const claimsByScope = (people: People): Configuration['claims'] => {
  const profile = ['name', 'preferred_username'];
  const email = ['email', 'email_verified'];
  const others = Object.values(people).flatMap(Object.keys);
  const everywhere = others.filter((claim) => !profile.includes(claim) && !email.includes(claim));
  return { openid: [...new Set(['sub', 'groups', ...everywhere])], profile, email };
};

const html = (response: ServerResponse, status: number, page: string): void => {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page);
};

/**
 * Starts an OpenID Connect provider at `http://localhost:<port>`, with people who have no passwords. It has PKCE, sign-out
 * (`end_session`) and back-channel logout. It is for this computer only.
 * @example
 * const provider = await startIdentityProvider({
 *   clients: [{ client_id: 'holdfast', token_endpoint_auth_method: 'none', redirect_uris: ['http://127.0.0.1:8080/callback'] }],
 * });
 * await provider.close();
 * @throws PlainError when the port is in use.
 */
export const startIdentityProvider = async ({
  port = 0,
  clients,
  people = demoPeople,
  key = createSigningKey(),
}: IdentityProviderOptions) => {
  const server = await listen(LOOPBACK, port);
  const host = `localhost:${server.port}`;
  const issuer = `http://${host}`;
  const adapter = createMemoryAdapter();
  const cookieKeys = [base58(32)];
  let keys = [key];

  const open = (): Provider =>
    new Provider(issuer, {
      adapter,
      clients: [...clients],
      jwks: { keys },
      cookies: { keys: cookieKeys },
      scopes: SCOPES,
      claims: claimsByScope(people),
      // Puts the claims of the scopes into the identity token, as the large providers do.
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      responseTypes: ['code'],
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: (context, form) => {
            context.body = signOutPage(form);
          },
          postLogoutSuccessSource: (context) => {
            context.body = textPage('Signed out', 'You can close this page.');
          },
        },
      },
      interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
      ttl: { AccessToken: HOUR, IdToken: HOUR, Interaction: HOUR, Session: 12 * HOUR, Grant: 12 * HOUR },
      findAccount: (_, accountId) => {
        const claims = people[accountId];
        return claims === undefined ? undefined : { accountId, claims: async () => ({ ...claims, sub: accountId }) };
      },
      // Nobody is asked for consent.
      loadExistingGrant: async ({ oidc }) => {
        // A new grant would make the code of another tab invalid.
        const present = oidc.session?.grantIdFor(oidc.client?.clientId ?? '');
        const existing = present === undefined ? undefined : await oidc.provider.Grant.find(present);
        if (existing !== undefined) return existing;
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId,
          accountId: oidc.session?.accountId,
        });
        grant.addOIDCScope(SCOPES.join(' '));
        await grant.save();
        return grant;
      },
      renderError: (context, { error, error_description: description }) => {
        context.type = 'html';
        context.body = textPage(
          'The request was refused',
          description === undefined ? error : `${error}: ${description}`,
        );
      },
      // The usual dispatcher rejects addresses of this computer, where the clients are.
      fetch: (url, options = {}) =>
        fetch(url, Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'dispatcher'))),
    });
  let provider = open();

  /** Shows the people, and signs in whoever was picked. */
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await provider.interactionDetails(request, response);
    if (request.method !== 'POST') return html(response, 200, signInPage(people));
    const picked = new URLSearchParams(await text(request)).get('person') ?? '';
    if (picked !== '' && !Object.hasOwn(people, picked))
      return html(response, 400, textPage('Unknown person', 'Go back, and pick another person.'));
    const result =
      picked === ''
        ? { error: 'access_denied', error_description: 'The sign-in was cancelled' }
        : { login: { accountId: picked } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };

  const handle = (request: IncomingMessage, response: ServerResponse): true => {
    if (request.url?.startsWith('/sign-in/')) {
      interact(request, response).catch(() =>
        html(response, 400, textPage('The sign-in has ended', 'Start again in Holdfast.')),
      );
    } else void provider.callback()(request, response);
    return true;
  };
  // After DNS rebinding, the Host header has the name of a page.
  server.serve(
    async () => gatewayError('forbidden'),
    handle,
    ({ headers }) => headers.host === host,
  );

  return {
    issuer,
    /** Adds a key, and signs with it from now on. */
    rotateKeys: (): void => {
      keys = [createSigningKey(), ...keys];
      provider = open();
    },
    close: server.close,
  };
};
