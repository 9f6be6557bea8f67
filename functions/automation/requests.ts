import { DomainError } from '../../shared/domain/errors.ts';
import { retry, tryAgain } from '../../shared/lib/retry.ts';
import { BASE_PATH, MEDIA_TYPE } from '../../shared/routes/api.ts';
import { findRoute, routeKey, routes } from '../../shared/routes/index.ts';
import type { Invoke } from '../../shared/runtime/invoke.ts';
import type { ApiAnswer, ApiRequest } from './commands.ts';

/** The caller of a request, and its id. */
interface Caller {
  /** The team that is acted as. */
  readonly servicePrincipal: string;
  /** Stands in what the request announces. */
  readonly requestId: string;
}

/** API Gateway hands parameters on decoded. */
const decoded = (parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new DomainError('bad-request', 'The path is not well encoded.', { cause });
  }
};

/** Builds the event that API Gateway would send, with the service principal as the result of an authorizer. */
const eventOf = (
  { id, parameters }: NonNullable<ReturnType<typeof findRoute>>,
  { method, path, body }: ApiRequest,
  caller: Caller,
): object => {
  const [rawPath = '', rawQueryString = ''] = (BASE_PATH + path).split('?');
  return {
    version: '2.0',
    routeKey: routeKey(routes[id]),
    rawPath,
    rawQueryString,
    headers: { host: 'automation', ...(body && { 'content-type': MEDIA_TYPE }) },
    pathParameters: decoded(parameters),
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      requestId: caller.requestId,
      domainName: 'automation',
      http: { method, path: rawPath },
      authorizer: { lambda: { servicePrincipal: caller.servicePrincipal } },
    },
  };
};

const ATTEMPTS = 4;
const MILLISECONDS_BETWEEN = 1_000;

/** Whether a path is about tokens. Their text is returned once, but the result of a command is stored. */
const isAboutTokens = (path: string): boolean => path.includes('authentication-token');

/**
 * Makes requests of the HTTP API by invoking the functions behind its routes, without the API.
 * @throws DomainError 404 for what is no path of it; `unavailable` when it stays busy.
 */
export const openRequests =
  (invoke: Invoke, functionPrefix: string) =>
  async (request: ApiRequest, caller: Caller): Promise<ApiAnswer> => {
    const path = BASE_PATH + request.path.split('?', 1)[0];
    const matched = findRoute(request.method, path);
    if (matched === undefined || isAboutTokens(path)) {
      throw new DomainError('not-found', `${request.method} ${request.path} is nothing that a command can ask for.`);
    }
    const event = eventOf(matched, request, caller);
    const name = `${functionPrefix}-${routes[matched.id].function}`;
    const invokeOnce = async () => {
      const { statusCode, body } = (await invoke(name, event)) as { statusCode: number; body?: string };
      if (statusCode === 500) throw new Error(`${name} failed`);
      if (statusCode === 503) return tryAgain;
      return { status: statusCode, document: body ? JSON.parse(body) : undefined };
    };
    return retry(invokeOnce, {
      attempts: ATTEMPTS,
      pause: () => MILLISECONDS_BETWEEN,
      onExhausted: () => {
        throw new DomainError('unavailable', `${name} is busy`);
      },
    });
  };
