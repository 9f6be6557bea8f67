import type { RequestContext } from '../domain/changes/change-context.ts';
import { DomainError } from '../domain/errors.ts';
import { retry, tryAgain } from '../lib/retry.ts';
import { BASE_PATH, MEDIA_TYPE } from '../routes/api.ts';
import { findRoute, routeKey, routes } from '../routes/index.ts';
import type { Invoke } from './invoke.ts';

/** A request of the HTTP API; `path` is relative to /api/v2. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Value of `If-Match`. */
  readonly entityTag?: string;
}

export interface ApiResponse {
  readonly status: number;
  /** JSON:API document; undefined for a response without body. */
  readonly document: { readonly data?: unknown; readonly errors?: readonly ResponseError[] } | undefined;
  /** Entity tag of the resource in the response. */
  readonly entityTag?: string;
}

/** An error of a response. */
export interface ResponseError {
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string };
}

/** As whom a request is sent: as a service principal, or as the caller of a bulk job. */
type Identity = { readonly servicePrincipal: string } | { readonly bulkJob: string };

export type ServiceCaller = Identity & {
  /** Id of the request, recorded in the change records that it writes. */
  readonly requestId: string;
  /** Whether an earlier attempt of the command may have sent the request. */
  readonly attempt: NonNullable<RequestContext['attempt']>;
};

/** Decodes path parameters, as API Gateway does. */
const decoded = (parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new DomainError('bad-request', 'path contains an invalid percent-encoding.', { cause });
  }
};

/** Builds the event that API Gateway would send, with the identity as the result of an authorizer. */
const eventOf = (
  { id, parameters }: NonNullable<ReturnType<typeof findRoute>>,
  { method, path, body, entityTag }: ApiRequest,
  { requestId, ...identity }: ServiceCaller,
): object => {
  const [rawPath = '', rawQueryString = ''] = (BASE_PATH + path).split('?');
  return {
    version: '2.0',
    routeKey: routeKey(routes[id]),
    rawPath,
    rawQueryString,
    headers: {
      host: 'automation',
      ...(body && { 'content-type': MEDIA_TYPE }),
      ...(entityTag !== undefined && { 'if-match': entityTag }),
    },
    pathParameters: decoded(parameters),
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      requestId,
      domainName: 'automation',
      http: { method, path: rawPath },
      authorizer: { lambda: identity },
    },
  };
};

interface LambdaResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ATTEMPTS = 4;
const MILLISECONDS_BETWEEN = 1_000;

/** Checks whether a path manages tokens. These are rejected: the result of a command is stored, a token must not be. */
const isAboutTokens = (path: string): boolean => path.includes('authentication-token');

/**
 * Sends requests of the HTTP API by invoking the functions behind its routes directly.
 * @throws DomainError 404 for an unknown path and for a path that manages tokens; `unavailable` when every attempt gets 503.
 */
export const openRequests =
  (invoke: Invoke, functionPrefix: string) =>
  async (request: ApiRequest, caller: ServiceCaller): Promise<ApiResponse> => {
    const path = BASE_PATH + request.path.split('?', 1)[0];
    const matched = findRoute(request.method, path);
    if (matched === undefined || isAboutTokens(path)) {
      throw new DomainError(
        'not-found',
        `Automation cannot request ${request.method} ${request.path}: it is not a path of the API, or it manages tokens.`,
      );
    }
    const name = `${functionPrefix}-${routes[matched.id].function}`;
    const invokeOnce = async (retries: number) => {
      const event = eventOf(matched, request, retries === 0 ? caller : { ...caller, attempt: 'resumed' });
      const { statusCode, headers, body } = (await invoke(name, event)) as LambdaResponse;
      if (statusCode === 500) throw new Error(`${name} failed`);
      if (statusCode === 503) return tryAgain;
      const { etag } = headers;
      return {
        status: statusCode,
        document: body ? JSON.parse(body) : undefined,
        ...(etag !== undefined && { entityTag: etag }),
      };
    };
    return retry(invokeOnce, {
      attempts: ATTEMPTS,
      pause: () => MILLISECONDS_BETWEEN,
      exhausted: () => new DomainError('unavailable', `${name} is unavailable`),
    });
  };
