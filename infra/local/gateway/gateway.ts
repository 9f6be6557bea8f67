import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiDefinition } from '../assembly/assembly.ts';
import { gatewayError, getHeader, type HttpResponse, type IncomingRequest } from '../http/messages.ts';
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
 * @param trustsProxy whether the source address is the last one in `X-Forwarded-For`, which a proxy adds.
 * @example
 * const gateway = createGateway(assembly.api, functions);
 * const response = await gateway(request);
 */
export const createGateway = (
  api: ApiDefinition,
  functions: Pick<Functions, 'invoke'>,
  trustsProxy = false,
): Gateway => {
  const match = createRouteMatcher(api.routes);
  const cors = api.cors && createCors(api.cors);

  const invokeRoute = async (request: IncomingRequest): Promise<HttpResponse> => {
    let matched: MatchedRoute | undefined;
    let event: APIGatewayProxyEventV2;
    try {
      matched = match(request.method, request.rawPath);
      if (!matched) return gatewayError('notFound');
      const { route, parameters } = matched;
      const sourceIp = trustsProxy ? forwardedAddress(request) : request.sourceIp;
      event = createHttpEvent(
        { ...request, sourceIp },
        { apiId: api.id, routeKey: route.key, pathParameters: parameters },
      );
    } catch (error) {
      if (error instanceof URIError) return gatewayError('badRequest');
      throw error;
    }
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > MAX_EVENT_BYTES) return gatewayError('tooLarge');
    const { functionName, timeoutMillis } = matched.route;
    return responseFor(
      await withTimeout(timeoutMillis, (onHandling) => functions.invoke(functionName, payload, onHandling)),
    );
  };

  return async (request) => {
    if (!cors) return invokeRoute(request);
    const added = cors.headersFor(getHeader(request, 'origin'));
    const response = cors.preflight(request) ?? (await invokeRoute(request));
    const replaced = new Set(added.map(([name]) => name));
    return { ...response, headers: [...response.headers.filter(([name]) => !replaced.has(name)), ...added] };
  };
};

/** Returns the address that a proxy in front of the service reports. */
const forwardedAddress = (request: IncomingRequest): string =>
  getHeader(request, 'x-forwarded-for')?.split(',').at(-1)?.trim() || request.sourceIp;

const responseFor = (outcome: InvocationOutcome | 'timeout'): HttpResponse => {
  if (outcome === 'timeout' || outcome.kind === 'throttled') return gatewayError('unavailable');
  return outcome.kind === 'failed' ? gatewayError('internal') : responseFromPayload(outcome.payload);
};

/** Limits the time for which a function handles an event. A cold start does not count, however slow the computer is. */
const withTimeout = async <T>(
  millis: number,
  invoke: (onHandling: () => void) => Promise<T>,
): Promise<T | 'timeout'> => {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T | 'timeout'>((resolve, reject) => {
      invoke(() => {
        timer = setTimeout(() => resolve('timeout'), millis);
      }).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
  }
};
