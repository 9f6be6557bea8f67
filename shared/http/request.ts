import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { Precondition } from '../domain/changes/entity-tags.ts';
import type { Vocabulary } from '../domain/vocabulary.ts';
import type { Route, RouteId } from '../routes/index.ts';
import type { HttpResponse } from './response.ts';

/** Event of API Gateway, in payload format 2.0. */
export type HttpEvent = APIGatewayProxyEventV2;

/**
 * Per-request state: what the middlewares have found out so far. Each one sets its own part; `matchRoute` sets the first.
 */
export type RequestState = {
  /** Milliseconds since the epoch. */
  startedAt?: number;
  routeId?: RouteId;
  route?: Route;
  /** SHA-256 of the bearer token, or the service principal that acts; absent where the route needs neither. */
  digest?: string;
  /** Value of the header `Idempotency-Key`; absent on `GET`. */
  idempotencyKey?: string;
  query?: URLSearchParams;
  include?: ReadonlySet<string>;
  /** Value of `If-Match`. */
  precondition?: Precondition;
  /** Whether the request is a dry run, which changes nothing. */
  isDryRun?: boolean;
  vocabulary?: Vocabulary;
  /** Names in the body that were replaced by the names that operations know. */
  replacedNames?: readonly string[];
  /** Parsed body, or the function that validates it; absent if there is none. */
  body?: unknown;
};

/** Middy's request object; `internal` is the state of the request. */
export type HttpRequest = Request<HttpEvent, HttpResponse, Error, Context, RequestState>;

/** A middleware of the stack. */
export type HttpMiddleware = MiddlewareObj<HttpEvent, HttpResponse, Error, Context, RequestState>;

/** Context of the handler. Middy passes it the context only, so `shareState` puts the state of the request there. */
export interface StatefulContext extends Context {
  readonly state: RequestState;
}

/** Puts the state of the request into the context of the handler. */
export const shareState = (request: HttpRequest): void => {
  const context: StatefulContext = { ...request.context, state: request.internal };
  request.context = context;
};
