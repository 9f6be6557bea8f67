import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { isLoopbackUrl } from '../../shared/domain/loopback-url.ts';
import { findUrlProblem } from '../../shared/domain/workload-identities/issuers.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import { getText, IssuerError } from './get-text.ts';
import { openKept } from './kept.ts';

/** Time for which the address of the keys of an issuer, and the keys, are kept, in milliseconds. */
export const KEPT = 600_000;
/** Time between two loads of the keys of an issuer for an unknown key id, in milliseconds. */
export const PAUSE = 30_000;
/** Time limit of a request to an issuer, in milliseconds. */
export const TIME_LIMIT = 5_000;

const parse = (text: string, host: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new IssuerError(`${host} responds with something that is not JSON`);
  }
};

/**
 * Reads the metadata of an issuer by OpenID Connect Discovery.
 * @param isTrusted set if the issuer comes from the settings of the deployment.
 * @throws IssuerError, and what the connection throws.
 */
export const discover = async (issuer: string, isTrusted?: true): Promise<Readonly<Record<string, unknown>>> => {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const document = parse(await getText(url, AbortSignal.timeout(TIME_LIMIT), isTrusted), url.host);
  if (document['issuer'] !== issuer) throw new IssuerError(`${url.href} is the configuration of another issuer`);
  return document;
};

/** Finds the address of the keys of an issuer. */
const findKeysAddress = async (issuer: string): Promise<URL> => {
  const keys = String((await discover(issuer))['jwks_uri']);
  const problem = findUrlProblem(keys, isLoopbackUrl(new URL(issuer)));
  if (problem !== undefined) throw new IssuerError(`The jwks_uri of the issuer ${problem}`);
  return new URL(keys);
};

/** Finds the key of an issuer by which a token is signed. */
export type FindKeys = (issuer: string) => Promise<JWTVerifyGetKey>;

/** Opens the reads of the keys of issuers. They are kept for ten minutes, and loaded again for an unknown key id. */
export const openIssuerKeys = (clock: Clock): FindKeys => {
  const known = openKept<JWTVerifyGetKey>(KEPT, clock);

  const open = async (issuer: string): Promise<JWTVerifyGetKey> =>
    createRemoteJWKSet(await findKeysAddress(issuer), {
      cacheMaxAge: KEPT,
      cooldownDuration: PAUSE,
      timeoutDuration: TIME_LIMIT,
      [customFetch]: async (url, { signal }) => new Response(await getText(new URL(url), signal)),
    });

  return (issuer) => known.find(issuer, () => open(issuer));
};
