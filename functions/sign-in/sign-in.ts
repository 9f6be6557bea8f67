import { createHmac, hash } from 'node:crypto';
import { authorizationCodeGrant, buildAuthorizationUrl, ClientError } from 'openid-client';
import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { type SignInRefusalReason, signInRefusalReasons } from '../../shared/domain/changes/change-records.ts';
import { DisabledProvider, DomainError } from '../../shared/domain/errors.ts';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import type { SignInFlow } from '../../shared/domain/sign-in/one-time-contents.ts';
import { LINK_SESSION_HOURS } from '../../shared/domain/sign-in/sign-in-links.ts';
import type { Claims } from '../../shared/domain/workload-identities/conditions.ts';
import {
  type OperationRequest,
  type Operations,
  type Page,
  PlainDocument,
  Redirect,
  WithCookies,
} from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { base58 } from '../../shared/lib/random.ts';
import { messages } from '../../shared/logging/log.ts';
import { findDisabledProviders } from '../../shared/store/directory/sign-in/disabled-providers.ts';
import type { SignInDependencies } from './dependencies.ts';
import { isOfOthers, readPerson, subjectOf } from './person-claims.ts';
import { problemPage, unavailablePage } from './problem-page.ts';
import { expiredSignIn, explain, foreignPath, otherBrowser, unknownProvider } from './sign-in-problems.ts';

/** Time for which a sign-in may take, in seconds. */
const FLOW_SECONDS = 600;
/** Number of characters of secrets, which have 5.86 bits each. */
const SECRET = 43;
/** Longest path to continue with. */
const LONGEST_PATH = 2_000;

type BrowserRequest = Pick<OperationRequest<'sign-in.callback'>, 'id' | 'parameters'>;

/** Returns the identity provider in the path. @throws SignInProblem, DisabledProvider */
const requireProvider = async (
  { providers, database }: SignInDependencies,
  { parameters }: BrowserRequest,
): Promise<IdentityProvider> => {
  const found = providers.find(({ name }) => name === parameters.provider_name);
  if (found === undefined) throw unknownProvider();
  const disabled = await findDisabledProviders(database, [found.name], true);
  if (disabled.has(found.name)) throw new DisabledProvider(found.name);
  return found;
};

/** Responds to the request of a browser. Whatever prevents the sign-in is explained on a page (SIGNIN-6). */
const respond = async <T>(
  request: BrowserRequest,
  { providers, logger }: SignInDependencies,
  execute: () => Promise<T>,
): Promise<T | Page> => {
  try {
    return await execute();
  } catch (error) {
    const provider = providers.find(({ name }) => name === request.parameters.provider_name);
    const problem = provider === undefined ? unknownProvider() : explain(error, provider);
    if (problem === undefined) return explainRejection(error);
    logger.warn(messages.SIGN_IN_REFUSED, {
      requestId: request.id,
      provider: provider?.name,
      reason: problem.message,
    });
    return problemPage(problem.problem);
  }
};

/** Explains a rejection by the rules of users and teams. @throws any other error. */
const explainRejection = (error: unknown): Page => {
  const isRejected = error instanceof DomainError && error.code !== 'unavailable' && error.detail !== undefined;
  if (!isRejected) return unavailablePage(error);
  const title = 'The sign-in was rejected';
  const remedy = 'Sign in again in a minute. If it happens again, the operators of this deployment can help.';
  return problemPage({ title, detail: error.detail ?? '', remedy });
};

/**
 * Reads the path of the console to continue with.
 * @returns the path with its query, in the form in which a browser requests it.
 * @throws SignInProblem for any other address.
 */
const readPath = (to: string, origin: string): string => {
  const url = to.startsWith('/') && to.length <= LONGEST_PATH ? URL.parse(to, origin) : null;
  const isConsole = url !== null && url.origin === origin && /^\/(app(\/.*)?)?$/.test(url.pathname);
  if (!isConsole) throw foreignPath();
  return url.pathname + url.search;
};

const callbackUrl = (origin: string, { name }: IdentityProvider): URL => new URL(`/sign-in/${name}/callback`, origin);

const digestOfBrowser = (cookie: string): string => hash('sha256', cookie, 'hex');

/** Derives the nonce and the verifier of PKCE from the secrets that only the browser has, so that neither is stored. */
const deriveSecrets = (browser: string, state: string) => {
  const derive = (purpose: string) => createHmac('sha256', browser).update(`${purpose} ${state}`).digest('base64url');
  return { nonce: derive('nonce'), verifier: derive('verifier') };
};

/** Uses the state of a sign-in. @throws SignInProblem if it is unknown, or belongs to another browser or provider. */
const takeFlow = async (
  { secrets, cookies }: SignInDependencies,
  request: Pick<OperationRequest<'sign-in.callback'>, 'query' | 'cookies'>,
  provider: IdentityProvider,
): Promise<SignInFlow & { readonly state: string; readonly nonce: string; readonly verifier: string }> => {
  const state = request.query.get('state') ?? '';
  const flow = state === '' ? undefined : await secrets.take('sign-in-flow', state);
  if (flow === undefined || flow.provider !== provider.name) throw expiredSignIn();
  const browser = cookies.flow.read(request.cookies);
  if (browser === undefined || digestOfBrowser(browser) !== flow.browser) throw otherBrowser();
  return { ...flow, state, ...deriveSecrets(browser, state) };
};

/** Changes the code of an authorization response for an identity token, and returns its claims. */
const redeemCode = async (
  { origin, clients }: SignInDependencies,
  query: URLSearchParams,
  provider: IdentityProvider,
  { state, nonce, verifier }: Awaited<ReturnType<typeof takeFlow>>,
) => {
  const { configuration } = await clients.find(provider);
  const response = callbackUrl(origin, provider);
  response.search = query.toString();
  try {
    const tokens = await authorizationCodeGrant(configuration, response, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    return { ...tokens.claims() };
  } catch (error) {
    // Its keys may be new. The next sign-in reads them again.
    clients.forget(provider.name);
    // The library reports a signature that is not in base64url as a wrong argument.
    throw error instanceof TypeError ? new ClientError('malformed token', { cause: error }) : error;
  }
};

/** Returns the reason of a refusal that the audit trail has; undefined for any other error. */
const refusalReason = (error: unknown, provider: IdentityProvider): SignInRefusalReason | undefined => {
  const reason = explain(error, provider)?.message;
  return signInRefusalReasons.find((one) => one === reason);
};

/** Signs a person in, and records why that is refused (SIGNIN-14). A record that fails is logged, and changes nothing else. */
const recordingRefusal = async <T>(
  { recordRefusedSignIn: record, logger }: SignInDependencies,
  request: RequestContext,
  provider: IdentityProvider,
  claims: Claims,
  execute: () => Promise<T>,
): Promise<T> => {
  try {
    return await execute();
  } catch (error) {
    const reason = refusalReason(error, provider);
    const subject = subjectOf(claims);
    if (reason === undefined || subject === undefined) throw error;
    try {
      await record(request, provider, subject, reason);
    } catch (failure) {
      logger.warn(messages.REJECTION_UNRECORDED, { requestId: request.id, error: failure as Error });
    }
    throw error;
  }
};

/** Requires that a page of the deployment sent a request (SIGNIN-9). @throws DomainError 403 */
const requireSameOrigin = (headers: Readonly<Record<string, string | undefined>>, origin: string): void => {
  const isSameOrigin = headers['origin'] === origin && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  if (!isSameOrigin) throw new DomainError('forbidden', 'Only pages of this service may send this request.');
};

const SERVICE = { principal: { kind: 'identity-provider', id: 'sessions', name: 'sessions' } } as const;

/**
 * Ends the session that the browser had before a sign-in, whose secret no cookie has any more. A sign-in that is repeated because
 * this fails still sends it.
 */
const endFormer = async (
  { sessions, cookies }: SignInDependencies,
  { cookies: sent, contextFor }: Pick<OperationRequest<'sign-in.callback'>, 'cookies' | 'contextFor'>,
): Promise<void> => {
  const former = cookies.session.read(sent);
  if (former !== undefined) await sessions.end(contextFor(SERVICE), former);
};

export const signInOperations = {
  /** `GET /sign-in/:provider_name`: starts a sign-in (SIGNIN-2). */
  'sign-in.start': (request, dependencies) =>
    respond(request, dependencies, async () => {
      const { origin, secrets, clients, cookies } = dependencies;
      const provider = await requireProvider(dependencies, request);
      const to = readPath(request.query.get('to') ?? '/app', origin);
      const { configuration } = await clients.find(provider);
      const sent = cookies.flow.read(request.cookies);
      const browser = sent !== undefined && /^[1-9A-Za-z]{43}$/.test(sent) ? sent : base58(SECRET);
      const state = base58(SECRET);
      const { nonce, verifier } = deriveSecrets(browser, state);
      const flow = { provider: provider.name, browser: digestOfBrowser(browser), to };
      await secrets.put('sign-in-flow', state, flow, FLOW_SECONDS * 1_000);
      const authorization = buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(origin, provider).href,
        scope: provider.scopes,
        state,
        nonce,
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
        ...(provider.requiredAcr !== undefined && { acr_values: provider.requiredAcr }),
      });
      return new WithCookies(new Redirect(authorization.href), [cookies.flow.write(browser, FLOW_SECONDS)]);
    }),

  /** `GET /sign-in/:provider_name/callback`: ends a sign-in at the identity provider, and starts a session (SIGNIN-3). */
  'sign-in.callback': (request, dependencies) =>
    respond(request, dependencies, async () => {
      const { origin, sessions, sessionLimits: limits, cookies } = dependencies;
      const provider = await requireProvider(dependencies, request);
      const flow = await takeFlow(dependencies, request, provider);
      const claims = await redeemCode(dependencies, request.query, provider, flow);
      const { name } = provider;
      const context = request.contextFor({ principal: { kind: 'identity-provider', id: name, name } });
      const { sessionSecret } = await recordingRefusal(dependencies, context, provider, claims, async () => {
        const person = readPerson(claims, provider, now());
        const emailVerified = person.emailVerified && !isOfOthers(person.email ?? '', provider, dependencies.providers);
        const signIn = { provider, limits, ...person, emailVerified };
        return sessions.signIn(context, signIn, request.headers['user-agent']);
      });
      await endFormer(dependencies, request);
      const cookie = cookies.session.write(sessionSecret, limits.hours * 3_600);
      return new WithCookies(new Redirect(`${origin}/app/sign-in?to=${encodeURIComponent(flow.to)}`), [cookie]);
    }),

  /** `POST /sign-in/link`: takes a sign-in link, and starts a session (SIGNIN-13). */
  'sign-in.link': async (request, dependencies) => {
    const { headers, body, contextFor } = request;
    const { origin, secrets, sessions, sessionLimits: limits, cookies } = dependencies;
    requireSameOrigin(headers, origin);
    const link = await secrets.take('sign-in-link', body.link);
    if (link === undefined) {
      throw new DomainError(
        'bad-request',
        'The link was used before, has expired or is incomplete. Request another one.',
      );
    }
    const ofLink = { ...limits, hours: LINK_SESSION_HOURS };
    const secret = await sessions.signInByLink(contextFor(SERVICE), link.user, ofLink, headers['user-agent']);
    await endFormer(dependencies, request);
    return new WithCookies(new PlainDocument({}), [cookies.session.write(secret, LINK_SESSION_HOURS * 3_600)]);
  },

  /** `POST /sign-in/session`: returns a token of the session to the console (SIGNIN-9). */
  'sign-in.session': async ({ headers, cookies: sent, contextFor }, { origin, sessions, cookies }) => {
    requireSameOrigin(headers, origin);
    const secret = cookies.session.read(sent);
    const renewed = secret === undefined ? undefined : await sessions.renew(contextFor(SERVICE), secret);
    if (renewed === undefined) throw new DomainError('unauthorized');
    return new PlainDocument({
      access_token: renewed.token,
      token_type: 'Bearer',
      expires_in: Math.floor((renewed.expiresAt - now()) / 1_000),
      user_id: renewed.user.id,
      username: renewed.user.username,
    });
  },

  /** `DELETE /sign-in/session`: signs out (SIGNIN-10). It succeeds without a session, too. */
  'sign-in.end': async ({ headers, cookies: sent, contextFor }, dependencies) => {
    const { origin, sessions, cookies, providers, clients } = dependencies;
    requireSameOrigin(headers, origin);
    const secret = cookies.session.read(sent);
    const name = secret === undefined ? undefined : await sessions.end(contextFor(SERVICE), secret);
    const provider = providers.find((one) => one.name === name);
    // A person can sign out while the identity provider does not respond.
    const client = provider === undefined ? undefined : await clients.find(provider).catch(() => undefined);
    const url = client?.endSession && new URL(client.endSession);
    url?.searchParams.set('client_id', provider?.clientId ?? '');
    url?.searchParams.set('post_logout_redirect_uri', `${origin}/`);
    return new WithCookies(new PlainDocument({ sign_out_url: url?.href ?? null }), [cookies.session.write('', 0)]);
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
