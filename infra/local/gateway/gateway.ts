import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiDefinition } from '../assembly/assembly.ts';
import type { Functions, Outcome } from '../lambda/functions.ts';
import { corsOf } from './cors.ts';
import { eventOf, type IncomingRequest } from './http-event.ts';
import { answerOf, type HttpAnswer, refuse } from './http-response.ts';
import { type MatchedRoute, matcherOf } from './route-matching.ts';

/** Answers a request as API Gateway would; never rejects. */
export type Gateway = (request: IncomingRequest) => Promise<HttpAnswer>;

/** Lambda's limit on an event, so a base64-encoded body has less. */
const LARGEST_EVENT_BYTES = 6 * 1024 * 1024;

/** Imitates an HTTP API with payload format 2.0: its routes, its events, its CORS and its own refusals. */
export const gatewayFor = (api: ApiDefinition, functions: Pick<Functions, 'invoke'>): Gateway => {
  const match = matcherOf(api.routes);
  const cors = api.cors && corsOf(api.cors);

  const answer = async (request: IncomingRequest): Promise<HttpAnswer> => {
    let matched: MatchedRoute | undefined;
    let event: APIGatewayProxyEventV2;
    try {
      matched = match(request.method, request.rawPath);
      if (!matched) return refuse('notFound');
      const { route, parameters } = matched;
      event = eventOf(request, { apiId: api.id, routeKey: route.key, pathParameters: parameters });
    } catch (error) {
      if (error instanceof URIError) return refuse('badRequest');
      throw error;
    }
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > LARGEST_EVENT_BYTES) return refuse('tooLarge');
    return answerFor(await within(matched.route.timeoutMillis, functions.invoke(matched.route.functionName, payload)));
  };

  return async (request) => {
    if (!cors) return answer(request);
    const headers = preflightHeaders(request.rawHeaders);
    const added = cors.headersFor(headers['origin']);
    const answered = cors.preflight(request.method, headers) ?? (await answer(request));
    const replaced = new Set(added.map(([name]) => name));
    return { ...answered, headers: [...answered.headers.filter(([name]) => !replaced.has(name)), ...added] };
  };
};

const answerFor = (outcome: Outcome | 'late'): HttpAnswer => {
  if (outcome === 'late' || outcome.kind === 'throttled') return refuse('unavailable');
  return outcome.kind === 'failed' ? refuse('internal') : answerOf(outcome.payload);
};

const within = async <T>(millis: number, promise: Promise<T>): Promise<T | 'late'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), millis);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

const preflightHeaders = (raw: readonly string[]): Record<string, string | undefined> => {
  const headers: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (name === 'origin' || name === 'access-control-request-method') headers[name] = raw[i + 1] ?? '';
  }
  return headers;
};
