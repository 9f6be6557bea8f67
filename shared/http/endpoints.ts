import middy, { type MiddlewareObj, type Request as MiddyRequest } from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { readBearer } from '../access/credentials.ts';
import { servicePrincipal } from '../domain/directory/service-principals.ts';
import type { Features } from '../domain/editions.ts';
import { DomainError, notFound, StatePending } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Document } from '../jsonapi/document.ts';
import { now } from '../lib/clock.ts';
import type { Logger } from '../logging/log.ts';
import { messages } from '../logging/log.ts';
import type { Meter } from '../logging/meter.ts';
import {
  type PathParameters,
  type Route,
  type RouteId,
  type RouteIdOf,
  routeIds,
  routeKey,
  routes,
} from '../routes/index.ts';
import type { FunctionName } from '../runtime/environment.ts';
import { errorOf, type Validator } from '../schemas/error-messages.ts';
import type { Bodies } from '../schemas/request-bodies.ts';
import { type Answer, answer } from './answer.ts';
import { parseBody } from './body.ts';
import { deprecationHeaders } from './deprecation.ts';
import { readInclude } from './include.ts';
import { jsonApiErrors } from './json-api-errors.ts';
import { Redirect } from './redirect.ts';
import { fileAnswer, StaticFile } from './static-file.ts';
import { unrouted } from './unrouted.ts';

type Routes = typeof routes;
type SchemaOf<R extends RouteId> = Routes[R] extends { body: { schema: infer S extends keyof Bodies } } ? S : never;
type RequiredBody<R extends RouteId> = Routes[R] extends { body: { required: true } } ? true : false;

/** The body as the route's schema says; undefined where it may be, and is, missing. */
export type BodyOf<R extends RouteId> = [SchemaOf<R>] extends [never]
  ? undefined
  : RequiredBody<R> extends true
    ? Bodies[SchemaOf<R>]
    : Bodies[SchemaOf<R>] | undefined;

type IncludeOf<R extends RouteId> = Routes[R] extends { includes: readonly (infer I)[] } ? I : never;

/** A request as an operation sees it: parsed, validated, and with a credential that has the right form. */
export interface OperationRequest<R extends RouteId> {
  readonly id: string;
  readonly parameters: PathParameters<R>;
  readonly query: URLSearchParams;
  /** What to include with the answer: only what the route can. */
  readonly include: ReadonlySet<IncludeOf<R>>;
  readonly body: BodyOf<R>;
  /** SHA-256 of the bearer token, or the service principal that acts; empty where the route needs none. */
  readonly digest: string;
  /** Absolute URL of the path, without the query. */
  readonly url: string;
}

/** What was there already, where the route would otherwise have created it. */
interface Existing {
  readonly existing: Document;
}
type ExistingOf<R extends RouteId> = Routes[R] extends { statusIfThere: number } ? Existing : never;

/**
 * What an endpoint does: answers a document, a file, the way to one, or nothing, or throws a DomainError. Status and
 * headers are not its.
 */
export type Operation<R extends RouteId> = (
  request: OperationRequest<R>,
) => Promise<Document | StaticFile | Redirect | ExistingOf<R> | undefined>;

type Operations<F extends FunctionName> = { readonly [R in RouteIdOf<F>]: Operation<R> };

interface Options {
  readonly logger: Logger;
  readonly meter?: Meter;
  /** Of the edition that is deployed; where the routes belong to none, they need not be known. */
  readonly features?: Features;
  /** The compiled validators of the bodies that these endpoints take. */
  readonly validators?: Readonly<Record<string, Validator>>;
}

type Event = APIGatewayProxyEventV2;
type Handler = (event: Event, context: Context) => Promise<Answer>;

/** The parts of a request, gathered on its way through the stack. */
interface Gathered {
  /** Undefined: no route matches, API Gateway's `$default`. */
  readonly routeId: RouteId | undefined;
  readonly route: Route | undefined;
  digest: string;
  query: URLSearchParams;
  include: ReadonlySet<string>;
  body: unknown;
}
type Step = (event: Event, gathered: Gathered) => void;

const byKey = new Map<string, RouteId>(routeIds.map((id) => [routeKey(routes[id]), id]));

const records = new WeakMap<Event, Gathered>();
const recordOf = (event: Event): Gathered => {
  const known = records.get(event);
  if (known !== undefined) return known;
  const routeId = byKey.get(event.routeKey);
  const record = {
    routeId,
    route: routeId && routes[routeId],
    digest: '',
    query: new URLSearchParams(),
    include: new Set<string>(),
    body: undefined,
  };
  records.set(event, record);
  return record;
};

const before = (step: Step): MiddlewareObj => ({
  before: (request) => step(request.event as Event, recordOf(request.event as Event)),
});

/** Writes what became of a request: one line, never with a token or a value. */
const observed = ({ logger, meter }: Options): MiddlewareObj => {
  let started = 0;
  const conclude = (request: MiddyRequest): void => {
    const event = request.event as Event;
    const { error } = request;
    const details = {
      requestId: event.requestContext.requestId,
      route: event.routeKey,
      status: (request.response as Answer | undefined)?.statusCode,
      milliseconds: now() - started,
      ...(meter && { database: meter.read() }),
    };
    if (error === null || error === undefined) logger.info(messages.REQUEST_ANSWERED, details);
    else if (!(error instanceof DomainError)) logger.error(messages.REQUEST_FAILED, { ...details, error });
    else if (error.code === 'unavailable' && !(error instanceof StatePending)) {
      logger.warn(messages.DATABASE_BUSY, { ...details, cause: String(error.cause ?? error.detail) });
    } else logger.info(messages.REQUEST_REFUSED, { ...details, code: error.code });
  };
  return {
    before: () => {
      started = now();
      meter?.reset();
    },
    after: conclude,
    onError: conclude,
  };
};

/** A path of another edition is no path here, whoever asks. */
const offered =
  ({ features }: Options): Step =>
  (_, { route }) => {
    if (route?.feature !== undefined && features?.[route.feature] !== true) throw notFound();
  };

/** Every answer of a deprecated path says that it is one, refusals too. */
const deprecation = (): MiddlewareObj => {
  const say = (request: MiddyRequest): void => {
    const { route } = recordOf(request.event as Event);
    const answered = request.response as Answer | undefined;
    if (route?.deprecated === undefined || answered === undefined) return;
    request.response = { ...answered, headers: { ...answered.headers, ...deprecationHeaders(route.deprecated) } };
  };
  return { after: say, onError: say };
};

/**
 * Who IAM has let in already. The API has no authorizer, so that API Gateway never says anything here: only an event
 * that was not made by it, but by whoever may invoke the function, can.
 */
const invoker = ({ requestContext }: Event): string | undefined => {
  const { authorizer } = requestContext as { authorizer?: { lambda?: { servicePrincipal?: unknown } } };
  const team = authorizer?.lambda?.servicePrincipal;
  return typeof team === 'string' ? servicePrincipal(team) : undefined;
};

/** Refuses what cannot be a token before anything is read; whether it is one is found beside the first reads. */
const credential: Step = (event, gathered) => {
  if (gathered.route === undefined || gathered.route.authenticated === false) return;
  const digest = invoker(event) ?? readBearer(event.headers['authorization']);
  if (digest === undefined) throw new DomainError('unauthorized');
  gathered.digest = digest;
};

const query: Step = (event, gathered) => {
  gathered.query = new URLSearchParams(event.rawQueryString);
  if (gathered.route && gathered.route.authenticated !== false) {
    gathered.include = readInclude(gathered.query, gathered.route);
  }
};

const parsed: Step = (event, gathered) => {
  const { body } = gathered.route ?? {};
  if (body !== undefined) gathered.body = parseBody(event, body.large ? limits.bodyWithState : limits.body);
};

const validated =
  ({ validators = {} }: Options): Step =>
  (_, { route, body }) => {
    if (route?.body === undefined || (body === undefined && !route.body.required)) return;
    if (body === undefined) throw new DomainError('bad-request', 'The request needs a body.');
    const validate = validators[route.body.schema];
    if (validate === undefined) throw new TypeError(`No validator for ${route.body.schema}`);
    if (!validate(body)) {
      const [complaint] = validate.errors ?? [];
      throw complaint ? errorOf(complaint) : new DomainError('unprocessable');
    }
  };

const baseUrl = ({ headers, requestContext, rawPath }: Event): string =>
  `${headers['x-forwarded-proto'] ?? 'https'}://${headers['host'] ?? requestContext.domainName}${rawPath}`;

/**
 * The one stack that every endpoint group runs in: log and metrics, JSON:API errors, credential, body, schema, then
 * the operation of the route.
 * @param name the folder of the function; its operations must be exactly those of the route table.
 */
export const endpoints = <F extends FunctionName>(name: F, operations: Operations<F>, options: Options): Handler => {
  const dispatch = async (event: Event): Promise<Answer> => {
    const { routeId, route, digest, query, include, body } = recordOf(event);
    if (routeId === undefined || route === undefined) throw unrouted(event);
    const operation = (operations as { readonly [R in RouteId]?: Operation<never> })[routeId];
    if (operation === undefined) throw new TypeError(`${name} does not serve ${event.routeKey}`);
    const outcome: Document | StaticFile | Redirect | Existing | undefined = await operation({
      id: event.requestContext.requestId,
      parameters: event.pathParameters ?? {},
      query,
      include,
      body,
      digest,
      url: baseUrl(event),
    } as unknown as OperationRequest<never>);
    if (outcome instanceof StaticFile) return fileAnswer(outcome, event.headers);
    if (outcome instanceof Redirect) return answer(route.status, undefined, { location: outcome.location });
    const [status, document] =
      outcome !== undefined && 'existing' in outcome
        ? [route.statusIfThere ?? route.status, outcome.existing]
        : [route.status, outcome];
    return answer(status, status === 204 ? undefined : document);
  };

  const stack = middy<Event, Answer, Error, Context>({ timeoutEarlyInMillis: 0 })
    .use(observed(options))
    .use(deprecation())
    .use(jsonApiErrors())
    .use(before(offered(options)))
    .use(before(credential))
    .use(before(query))
    .use(before(parsed))
    .use(before(validated(options)))
    .handler(dispatch as never);
  return stack as unknown as Handler;
};
