import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keysFetch } from 'jose';
import {
  allowInsecureRequests,
  Configuration,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import { isLoopbackUrl } from '../../shared/domain/loopback-url.ts';
import { LEEWAY_SECONDS } from '../../shared/domain/workload-identities/check-claims.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { ALGORITHMS } from './examine-token.ts';
import { getText, IssuerError, send } from './get-text.ts';
import { discover, KEPT, PAUSE, TIME_LIMIT } from './issuer-keys.ts';
import { openKept } from './kept.ts';
import type { Authenticate } from './provider-credentials.ts';

/** A client of an identity provider, with its metadata and keys. */
export interface ProviderClient {
  readonly configuration: Configuration;
  /** Keys by which the identity provider signs logout tokens. */
  readonly keys: JWTVerifyGetKey;
  /** Page that signs people out at the identity provider, if it has one. */
  readonly endSession: URL | undefined;
}

/** Addresses in the metadata that browsers or the service open. */
const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'end_session_endpoint'] as const;

/** Requires that the addresses in the metadata of an identity provider are encrypted as its issuer is. @throws IssuerError */
const requireAddresses = (metadata: Readonly<Record<string, unknown>>, issuer: URL): void => {
  for (const name of endpoints) {
    const value = metadata[name];
    if (value === undefined && name === 'end_session_endpoint') continue;
    const url = URL.parse(String(value));
    const isSecure = url?.protocol === 'https:' || (url !== null && isLoopbackUrl(url) && isLoopbackUrl(issuer));
    if (!isSecure) throw new IssuerError(`${name} in its configuration must begin with https://`);
  }
};

/** Names what is wrong with a connection. @throws IssuerError */
const named = async <T>(host: string, response: Promise<T>): Promise<T> => {
  try {
    return await response;
  } catch (cause) {
    if (cause instanceof IssuerError) throw cause;
    const { name, code = name } = cause as NodeJS.ErrnoException;
    const isLate = ['AbortError', 'TimeoutError'].includes(name);
    throw new IssuerError(isLate ? `${host} does not respond in time` : `${host} cannot be reached (${code})`, {
      cause,
    });
  }
};

/** Sends a request of the library with the limits of `send`. */
const fetchFromProvider: NonNullable<Configuration[typeof customFetch]> = async (
  url,
  { method, headers, body, signal },
) => {
  const target = new URL(url);
  const request = {
    method,
    headers,
    signal: signal ?? AbortSignal.timeout(TIME_LIMIT),
    isTrusted: true,
    ...(body !== null && body !== undefined && { body: String(body) }),
  } as const;
  const { status, mediaType, text } = await named(target.host, send(target, request));
  return new Response(text === '' ? null : text, { status, headers: { 'content-type': mediaType } });
};

/** Finds the client of an identity provider. */
export type FindClient = (provider: IdentityProvider) => Promise<ProviderClient>;

interface ClientOptions {
  readonly authenticate: Authenticate;
  /** Whether identity providers may be on this machine, without encryption. */
  readonly allowsLoopback: boolean;
  readonly clock: Clock;
}

/** Opens the clients of identity providers. Their metadata is kept for ten minutes (SIGNIN-7). */
export const openProviderClients = ({ authenticate, allowsLoopback, clock }: ClientOptions) => {
  const known = openKept<ProviderClient>(KEPT, clock);

  const open = async (provider: IdentityProvider): Promise<ProviderClient> => {
    const issuer = new URL(provider.issuer);
    const isLoopback = isLoopbackUrl(issuer);
    if (isLoopback && !allowsLoopback) throw new IssuerError('The issuer must begin with https://');
    const metadata = await named(issuer.host, discover(provider.issuer, true));
    requireAddresses(metadata, issuer);
    // Whatever the identity provider offers, only these algorithms are accepted.
    const server = { ...metadata, id_token_signing_alg_values_supported: [...ALGORITHMS] } as ServerMetadata;
    const configuration = new Configuration(
      server,
      provider.clientId,
      { [clockTolerance]: LEEWAY_SECONDS },
      authenticate(provider),
    );
    configuration.timeout = TIME_LIMIT / 1_000;
    configuration[customFetch] = fetchFromProvider;
    enableNonRepudiationChecks(configuration);
    if (isLoopback) allowInsecureRequests(configuration);
    const keys = createRemoteJWKSet(new URL(String(metadata['jwks_uri'])), {
      cacheMaxAge: KEPT,
      cooldownDuration: PAUSE,
      timeoutDuration: TIME_LIMIT,
      [keysFetch]: async (url, { signal }) =>
        new Response(await named(new URL(url).host, getText(new URL(url), signal, true))),
    });
    const { end_session_endpoint: endSession } = server;
    return { configuration, keys, endSession: endSession === undefined ? undefined : new URL(endSession) };
  };

  const find: FindClient = (provider) => known.find(provider.name, () => open(provider));
  return {
    find,
    /** Forgets what is known of an identity provider, so that the next sign-in reads its metadata and keys again. */
    forget: known.forget,
  };
};
