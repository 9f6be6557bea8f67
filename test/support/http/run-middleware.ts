import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { HttpEvent, HttpMiddleware, HttpRequest, RequestState } from '../../../shared/http/request.ts';
import type { HttpResponse } from '../../../shared/http/response.ts';
import { type Route, routes } from '../../../shared/routes/index.ts';

/** Parts of a request that a test sets; everything else has a plain value. */
export interface RequestParts {
  readonly event?: Partial<HttpEvent>;
  /** Request state that earlier middlewares would have set. */
  readonly state?: RequestState;
  /** The handler below the middleware; responds 200 by default. */
  readonly handler?: (event: HttpEvent, context: Context) => Promise<HttpResponse>;
}

const plainEvent = {
  version: '2.0',
  routeKey: 'GET /api/v2/ping',
  rawPath: '/api/v2/ping',
  rawQueryString: '',
  headers: {},
  isBase64Encoded: false,
  requestContext: { requestId: 'request-1', domainName: 'holdfast.example.com', http: { method: 'GET' } },
} as unknown as HttpEvent;

/** A route like `ping` that differs in some parts. */
export const routeWith = (parts: Partial<Route>): Route => ({ ...routes.ping, ...parts });

/**
 * Runs a request through middy with one middleware only.
 * @returns the request object after the run, with its state in `internal` and with the response or the error.
 */
export const runMiddleware = async (
  middleware: HttpMiddleware,
  { event = {}, state = {}, handler = async () => ({ statusCode: 200, headers: {} }) }: RequestParts = {},
): Promise<HttpRequest> => {
  const requests: HttpRequest[] = [];
  const stack = middy<HttpEvent, HttpResponse, Error, Context, RequestState>({
    internal: { ...state },
    timeoutEarlyInMillis: 0,
  })
    .before((request) => {
      requests.push(request);
    })
    .use(middleware)
    .handler(handler as never) as unknown as (event: HttpEvent, context: Context) => Promise<HttpResponse>;
  // Without a middleware that serializes errors, middy throws the error that is in the request as well.
  await stack({ ...plainEvent, ...event }, {} as Context).catch(() => undefined);
  return requests[0] as HttpRequest;
};
