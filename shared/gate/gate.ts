import { readBearer } from '../access/credentials.ts';
import { DomainError } from '../domain/errors.ts';
import { rejectEarly } from '../http/error-response.ts';
import { isServiceInvocation } from '../http/middleware/read-credential.ts';
import type { HttpEvent } from '../http/request.ts';
import type { HttpResponse } from '../http/response.ts';
import type { HttpHandler } from '../http/stack.ts';
import { type Clock, now } from '../lib/clock.ts';
import { type Route, routeKey } from '../routes/route.ts';
import { oauth2, signIn } from '../routes/sign-in.ts';
import { addressBlock, createBoundedMap, createFailureLimit, MAX_FAILURES } from './failure-limit.ts';
import { createTokenBucket, type Decision, type TokenBucket, type TokenLimit } from './token-bucket.ts';

const UNAUTHORIZED = 401;
const MAX_TOKENS = 10_000;
/** Time for which an unknown token is not looked for again. A runner may use the token of a run before it is registered. */
const UNKNOWN_MILLISECONDS = 10_000;
/** Route keys of OAuth 2.0. Its requests have their credentials in a form, and errors of their own. */
const formRoutes: ReadonlySet<string> = new Set(
  Object.values<Route>({ ...oauth2, ...signIn })
    .filter(({ oauth }) => oauth)
    .map(routeKey),
);
/** Formats seconds for `X-RateLimit-Reset`. Clients read a decimal number, and some stop at anything else. */
const formatSeconds = (seconds: number): string => (Math.ceil(seconds * 100) / 100).toFixed(2);

const limitHeaders = ({ rate }: TokenLimit, { remaining, wait }: Omit<Decision, 'isAdmitted'>) => ({
  'x-ratelimit-limit': String(rate),
  'x-ratelimit-remaining': String(Math.max(0, remaining)),
  'x-ratelimit-reset': formatSeconds(wait),
});

const withHeaders = (response: HttpResponse, headers: Readonly<Record<string, string>>): HttpResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
});

/**
 * Creates the handler that limits the requests of each token before a function handles them, in the memory of this instance
 * (HTTP-43). A request without a token, a form of OAuth 2.0, and a request of automation pass.
 * @param serve handler of the function.
 * @example
 * export const handler = createGate(serve, { rate: 100, burst: 200 });
 */
export const createGate = (serve: HttpHandler, limit: TokenLimit, clock: Clock = now): HttpHandler => {
  const { store, logger } = serve.shared ?? {};
  const buckets = createBoundedMap<TokenBucket>(MAX_TOKENS);
  /** Tokens that a strongly consistent read did not find, with the time of the read. */
  const unknown = createBoundedMap<number>(MAX_TOKENS);
  const failures = createFailureLimit(MAX_FAILURES);

  /** Returns whether a token is valid. It is if that cannot be found out, so that no error rejects a request. */
  const isValid = async (digest: string | undefined, time: number): Promise<boolean> => {
    if (digest === undefined || (unknown.get(digest) ?? 0) + UNKNOWN_MILLISECONDS > time) return false;
    if (store === undefined) return true;
    try {
      const identity =
        (await store.identities.findToken(digest, false)) ?? (await store.identities.findToken(digest, true));
      if (identity === undefined) unknown.set(digest, time);
      return identity !== undefined;
    } catch {
      return true;
    }
  };

  const reject = (event: HttpEvent, reason: string, decision: Omit<Decision, 'isAdmitted'>): HttpResponse => {
    const detail = `${reason} Send the request again after the seconds in Retry-After.`;
    const error = new DomainError('too-many-requests', detail, { retryAfter: Math.max(1, Math.ceil(decision.wait)) });
    return withHeaders(rejectEarly(event, error, logger), limitHeaders(limit, decision));
  };

  return async (event, context) => {
    const { authorization } = event.headers;
    if (authorization === undefined || formRoutes.has(event.routeKey) || isServiceInvocation(event))
      return serve(event, context);
    const digest = readBearer(authorization);
    const client = addressBlock(event.requestContext.http.sourceIp);
    const time = clock();
    const bucket = digest === undefined ? undefined : buckets.get(digest);
    if (digest === undefined || bucket === undefined) {
      const wait = failures.wait(client, time);
      if (wait > 0 && !(await isValid(digest, time)))
        return reject(event, 'Too many requests of this address had no valid token.', { remaining: 0, wait });
      const response = await serve(event, context);
      if (response.statusCode === UNAUTHORIZED) {
        failures.count(client, time);
        return response;
      }
      // A bucket is created for valid tokens only. `ping` accepts any token, and its function has no table.
      if (digest !== undefined && store !== undefined) buckets.set(digest, createTokenBucket(limit, time));
      return withHeaders(response, limitHeaders(limit, { remaining: limit.burst - 1, wait: 0 }));
    }
    const decision = bucket.take(time);
    if (!decision.isAdmitted) return reject(event, 'The token has exceeded its rate limit.', decision);
    const response = await serve(event, context);
    if (response.statusCode === UNAUTHORIZED) {
      buckets.delete(digest);
      failures.count(client, time);
      return response;
    }
    return withHeaders(response, limitHeaders(limit, decision));
  };
};
