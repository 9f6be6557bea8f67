import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiDefinition } from '../assembly/assembly.ts';
import type { IncomingRequest } from '../http/request.ts';
import { gatewayError, type HttpResponse } from '../http/response.ts';
import type { Functions, InvocationOutcome } from '../lambda/functions.ts';
import { createCors } from './cors.ts';
import { responseFromPayload } from './function-response.ts';
import { createHttpEvent } from './http-event.ts';
import { createRouteMatcher, type MatchedRoute } from './route-matching.ts';

/** Handles a request as API Gateway does. The promise is never rejected. */
export type Gateway = (request: IncomingRequest) => Promise<HttpResponse>;

/** Limit of Lambda on an event. A body that is encoded in base64 has less. */
const MAX_EVENT_BYTES = 6 * 1024 * 1024;

/**
 * Creates the emulation of an HTTP API with payload format 2.0: its routes, events, CORS and error responses.
 *
 * @example
 * const gateway = createGateway(assembly.api, functions);
 * const response = await gateway(request);
 */
export const createGateway = (api: ApiDefinition, functions: Pick<Functions, 'invoke'>): Gateway => {
  const match = createRouteMatcher(api.routes);
  const cors = api.cors && createCors(api.cors);

  const invokeRoute = async (request: IncomingRequest): Promise<HttpResponse> => {
    let matched: MatchedRoute | undefined;
    let event: APIGatewayProxyEventV2;
    try {
      matched = match(request.method, request.rawPath);
      if (!matched) return gatewayError('notFound');
      const { route, parameters } = matched;
      event = createHttpEvent(request, { apiId: api.id, routeKey: route.key, pathParameters: parameters });
    } catch (error) {
      if (error instanceof URIError) return gatewayError('badRequest');
      throw error;
    }
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > MAX_EVENT_BYTES) return gatewayError('tooLarge');
    const invocation = functions.invoke(matched.route.functionName, payload);
    return responseFor(await withTimeout(matched.route.timeoutMillis, invocation));
  };

  return async (request) => {
    if (!cors) return invokeRoute(request);
    const headers = preflightHeaders(request.rawHeaders);
    const added = cors.headersFor(headers['origin']);
    const response = cors.preflight(request.method, headers) ?? (await invokeRoute(request));
    const replaced = new Set(added.map(([name]) => name));
    return { ...response, headers: [...response.headers.filter(([name]) => !replaced.has(name)), ...added] };
  };
};

const responseFor = (outcome: InvocationOutcome | 'timeout'): HttpResponse => {
  if (outcome === 'timeout' || outcome.kind === 'throttled') return gatewayError('unavailable');
  return outcome.kind === 'failed' ? gatewayError('internal') : responseFromPayload(outcome.payload);
};

const withTimeout = async <T>(millis: number, promise: Promise<T>): Promise<T | 'timeout'> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), millis);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const preflightHeaders = (rawHeaders: readonly string[]): Record<string, string | undefined> => {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (name === 'origin' || name === 'access-control-request-method') headers[name] = rawHeaders[i + 1] ?? '';
  }
  return headers;
};
