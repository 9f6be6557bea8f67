import { hash } from 'node:crypto';
import { mintToken, newToken } from '../../shared/access/credentials.ts';
import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import type { Principal, UserPrincipal } from '../../shared/domain/directory/records.ts';
import { isActive } from '../../shared/domain/directory/sessions.ts';
import { limitExpiry } from '../../shared/domain/directory/token-expiry.ts';
import { DomainError, isNotFound, OAuthError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import { LOGIN_CLIENT, loginRedirect } from '../../shared/domain/sign-in/login.ts';
import type { AllowedLogin, AuthorizationCode } from '../../shared/domain/sign-in/one-time-contents.ts';
import { type OperationRequest, PlainDocument } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { newId } from '../../shared/lib/random.ts';
import { openSessionReader } from '../../shared/store/directory/sign-in/session-reader.ts';
import type { SignInDependencies } from './dependencies.ts';

const HOUR = 3_600_000;
const CODE = 'authorization-code';

/** Description of the tokens of `terraform login` and `tofu login`, which send the same requests. */
const DESCRIPTION = 'terraform login';

/** Creates the one error of all refused codes. */
const refused = (): OAuthError =>
  new OAuthError('invalid_grant', 'The code is unknown, expired or used, or belongs to another login. Log in again.');

/**
 * Computes the expiry of a new token (LOGIN-5): the setting limits it, and so do the organizations of the user.
 * @param until expiry of the token or session by which the user has allowed it.
 */
const expiryOf = async (
  { store, loginHours }: SignInDependencies,
  user: string,
  until: number | undefined,
): Promise<number> => {
  const memberships = await store.identities.findMemberships(user, true);
  const organizations = await store.organizations.findAll([...memberships.keys()]);
  const limited = limitExpiry('user', organizations, undefined, now());
  return Math.min(now() + loginHours * HOUR, limited ?? Number.POSITIVE_INFINITY, until ?? Number.POSITIVE_INFINITY);
};

/**
 * Finds when what a person is signed in with ends: the session, whose own tokens are short, or else the token.
 * @returns undefined if it never ends.
 * @throws DomainError 401 if the session has ended or the token was revoked meanwhile: the caller may have come from a cache.
 */
const endOf = async (
  { store, database }: SignInDependencies,
  { token, session: id }: UserPrincipal & Pick<Principal, 'token'>,
): Promise<number | undefined> => {
  if (id === undefined) {
    const found = await store.tokens.find(token ?? '', true);
    if (found === undefined || found.suspended === true) throw new DomainError('unauthorized');
    return found.expiresAt;
  }
  const session = await openSessionReader(database).find(id, true);
  if (session === undefined || !isActive(session, now())) throw new DomainError('unauthorized');
  return session.expiresAt;
};

/**
 * Computes the expiry of a token that a person may allow.
 * @throws DomainError 401 if the session has ended or the token was revoked meanwhile.
 */
export const latestLoginExpiry = async (
  dependencies: SignInDependencies,
  principal: UserPrincipal & Pick<Principal, 'token'>,
): Promise<number> => expiryOf(dependencies, principal.id, await endOf(dependencies, principal));

/**
 * Describes the login that a person allows, with the id of its token.
 * @throws DomainError 401 if the session has ended or the token was revoked meanwhile.
 */
export const allowedLogin = async (
  { contextFor }: Pick<OperationRequest<'oauth2.consent'>, 'contextFor'>,
  dependencies: SignInDependencies,
  principal: UserPrincipal & Pick<Principal, 'token'>,
): Promise<AllowedLogin> => {
  const until = await endOf(dependencies, principal);
  const token = newId('token', contextFor({ principal }));
  return { user: principal.id, name: principal.name, token, ...(until !== undefined && { until }) };
};

/** Revokes the token that a code has brought, if it exists. */
const revoke = async (
  { directory, store }: SignInDependencies,
  request: RequestContext,
  token: string,
): Promise<void> => {
  try {
    store.identities.forgetToken(await directory.tokens.revoke(request, token));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

type LoginRequest = OperationRequest<'oauth2.token'>;

const requestOf = (contextFor: LoginRequest['contextFor'], { user: id, name }: AllowedLogin): RequestContext =>
  contextFor({ principal: { kind: 'user', id, name } });

/** Revokes the oldest tokens of logins beyond the number that a user may have. Of concurrent logins, the last one finds all. */
export const revokeOldest = async (
  { contextFor }: LoginRequest,
  { directory, store }: SignInDependencies,
  login: AllowedLogin,
): Promise<void> => {
  const request = requestOf(contextFor, login);
  const subject = { kind: 'user', id: login.user } as const;
  const logins = (await store.tokens.listOf(subject)).filter(({ login }) => login === true);
  const oldest = logins.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)).slice(limits.loginTokens);
  if (oldest.length === 0) return;
  const ids = new Set(oldest.map(({ id }) => id));
  await directory.tokens.revokeSome(request, subject, ({ id }) => ids.has(id));
  for (const { digest } of oldest) store.identities.forgetToken(digest);
};

const challengeOf = (verifier: string): string => hash('sha256', verifier, 'base64url');

/**
 * Takes a code. A code that comes with a wrong verifier is used up. A second use revokes the token that the code has brought.
 * @throws OAuthError
 */
const takeCode = async (
  { contextFor, body }: LoginRequest,
  dependencies: SignInDependencies,
  code: string,
): Promise<AuthorizationCode> => {
  const content = await dependencies.secrets.take(CODE, code);
  if (content === undefined) {
    const used = await dependencies.secrets.noteReuse(CODE, code);
    if (used !== undefined) await revoke(dependencies, requestOf(contextFor, used), used.token);
    throw refused();
  }
  const isSame =
    body.redirect_uri === loginRedirect(content.port) && challengeOf(body.code_verifier ?? '') === content.challenge;
  if (!isSame) throw refused();
  return content;
};

/** Checks that a request comes from the client of logins. @throws OAuthError otherwise. */
export const requireLoginClient = ({ client_id: client }: { readonly client_id?: string | undefined }): void => {
  if (client !== LOGIN_CLIENT) throw new OAuthError('invalid_request', `client_id must be ${LOGIN_CLIENT}`);
};

/**
 * Creates the token of a login that a user has allowed.
 * @param description names the way of the login.
 * @returns undefined if the user was deleted, renamed or suspended meanwhile.
 */
export const createLoginToken = async (
  { contextFor }: LoginRequest,
  dependencies: SignInDependencies,
  login: AllowedLogin,
  description: string,
): Promise<PlainDocument | undefined> => {
  const { user: id, token, until } = login;
  const user = { kind: 'user', id } as const;
  const request = requestOf(contextFor, login);
  const expiresAt = await expiryOf(dependencies, id, until);
  const text = mintToken('user');
  const created = { ...newToken(request, text, { description, expiresAt, createdBy: user }), id: token };
  try {
    await dependencies.directory.tokens.create(request, user, { ...created, login: true });
  } catch (error) {
    if (isNotFound(error) || (error instanceof DomainError && error.code === 'conflict')) return undefined;
    throw error;
  }
  return new PlainDocument({
    access_token: text,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((expiresAt - now()) / 1_000)),
  });
};

/**
 * Changes an authorization code for a token of the user who has allowed it (LOGIN-5).
 * @throws OAuthError for a parameter that is missing, and for a code that is not accepted.
 */
export const grantByCode = async (request: LoginRequest, dependencies: SignInDependencies): Promise<PlainDocument> => {
  const { code } = request.body;
  requireLoginClient(request.body);
  for (const name of ['code', 'redirect_uri', 'code_verifier'] as const) {
    if (request.body[name] === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  }
  const content = await takeCode(request, dependencies, code ?? '');
  const token = await createLoginToken(request, dependencies, content, DESCRIPTION);
  if (token === undefined) throw refused();
  // A second use that came before the token existed has found nothing to revoke.
  if (await dependencies.secrets.wasReused(CODE, code ?? '')) {
    await revoke(dependencies, requestOf(request.contextFor, content), content.token);
    throw refused();
  }
  await revokeOldest(request, dependencies, content);
  return token;
};
