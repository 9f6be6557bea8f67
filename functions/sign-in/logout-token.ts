import { errors, jwtVerify } from 'jose';
import { OAuthError } from '../../shared/domain/errors.ts';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import { LEEWAY_SECONDS } from '../../shared/domain/workload-identities/check-claims.ts';
import { type Operations, PlainDocument } from '../../shared/http/operation.ts';
import type { SignInDependencies } from './dependencies.ts';
import { ALGORITHMS } from './examine-token.ts';
import { IssuerError } from './get-text.ts';
import type { ProviderClient } from './provider-clients.ts';

/** Longest age of a logout token, in seconds. */
const MOST_AGE = 600;
/** Time for which an accepted logout token is noted, in milliseconds: longer than it can be valid. */
const NOTED = 2 * (MOST_AGE + 2 * LEEWAY_SECONDS) * 1_000;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Types of logout tokens. The second one is of identity providers that state none of their own. */
const TYPES: readonly unknown[] = ['logout+jwt', 'jwt', undefined];

const invalid = (description: string): OAuthError => new OAuthError('invalid_request', description);

/** Requires that a claim is a text or absent: a logout of one session must not become one of all. @throws OAuthError */
const textOrAbsent = (name: string, value: unknown): string | undefined => {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(`${name} of the logout token is not a text`);
};

/** Checks a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). @throws OAuthError */
const verify = async (token: string, { issuer, clientId }: IdentityProvider, { keys }: ProviderClient) => {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: [...ALGORITHMS],
    clockTolerance: LEEWAY_SECONDS,
    maxTokenAge: MOST_AGE,
  });
  const { jti, sub, sid, nonce, events } = payload;
  if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw invalid('typ of the logout token is another one');
  const event = Object(events)[EVENT];
  if (typeof event !== 'object' || event === null) throw invalid(`events of the logout token lacks ${EVENT}`);
  if (nonce !== undefined) throw invalid('The logout token must have no nonce');
  if (typeof jti !== 'string' || jti === '') throw invalid('The logout token has no jti');
  if (sub === undefined && sid === undefined) throw invalid('The logout token has neither sub nor sid');
  return { jti, subject: textOrAbsent('sub', sub), sid: textOrAbsent('sid', sid) };
};

/** Names what is wrong with a logout token, or with the keys of the identity provider. @throws OAuthError */
const explainToken = (error: unknown): never => {
  if (error instanceof OAuthError) throw error;
  if (error instanceof IssuerError) throw invalid(error.message);
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    throw invalid(`The claim ${error.claim} of the logout token is not valid`);
  }
  if (error instanceof errors.JOSEError) throw invalid('The logout token or its signature is not valid');
  throw invalid('The keys of the identity provider are malformed');
};

export const logoutOperations = {
  /** `POST /sign-in/:provider_name/logout`: ends the sessions that an identity provider names (SIGNIN-11). */
  'sign-in.logout': async ({ parameters, body, contextFor }, { providers, clients, secrets, sessions }) => {
    const provider = providers.find(({ name }) => name === parameters.provider_name);
    if (provider === undefined) throw invalid('There is no such identity provider');
    const { name, issuer } = provider;
    const client = await clients.find(provider).catch(explainToken);
    const { jti, subject, sid } = await verify(body.logout_token, provider, client).catch(explainToken);
    const noted = `${issuer} ${jti}`;
    if ((await secrets.find('logout-token', noted)) !== undefined) throw invalid('The logout token was used before');
    await sessions.endByProvider(contextFor({ principal: { kind: 'identity-provider', id: name, name } }), {
      issuer,
      subject,
      sid,
    });
    // Noted last: after a crash, the identity provider can send it again.
    await secrets.put('logout-token', noted, { provider: name }, NOTED);
    return new PlainDocument({});
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
