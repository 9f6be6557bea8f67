import { createRequestContext, type RequestContext } from '../domain/changes/change-context.ts';
import { entityTag } from '../domain/changes/entity-tags.ts';
import { type Document, REVISED, type Resource } from '../jsonapi/document.ts';
import type { Route, RouteId } from '../routes/index.ts';
import { type FunctionName, readPublicUrl, recordsAddresses } from '../runtime/environment.ts';
import {
  type Execution,
  executeAgain,
  executeOnce,
  type IdempotencyStore,
  type Outcome,
} from './idempotency/execute-once.ts';
import { type Replay, replays } from './idempotency/replays.ts';
import { readServiceAttempt } from './middleware/read-credential.ts';
import {
  type Existing,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type Operations,
  Page,
  PlainDocument,
  Redirect,
  type Show,
  WithCookies,
} from './operation.ts';
import type { HttpEvent, RequestState, StatefulContext } from './request.ts';
import { createResponse, type HttpResponse } from './response.ts';
import { createFileResponse, StaticFile } from './static-file.ts';
import { dependsOnVocabulary, translateDocument, VOCABULARY_HEADERS } from './translate-document.ts';

/** Builds the URL of a request. Headers do not count, because any client can send them. */
const buildUrl = ({ requestContext, rawPath }: HttpEvent, publicUrl: string | undefined): string =>
  `${publicUrl ?? `https://${requestContext.domainName}`}${rawPath}`;

const isOne = (data: Document['data']): data is Resource => !Array.isArray(data);

/**
 * Builds the header with the entity tag of a document that shows one resource (EDIT-1). A dry run has that of what its result
 * depends on (EDIT-10), or none.
 */
const entityTagHeader = ({ data }: Document): { readonly etag?: string } =>
  isOne(data) && (data.type !== 'dry-runs' || data[REVISED] !== undefined)
    ? { etag: entityTag(data[REVISED] ?? { id: data.id }) }
    : {};

/** Dependencies of a function that the dispatch uses. */
interface DispatchDependencies {
  readonly publicUrl?: string | undefined;
  readonly store?: IdempotencyStore | undefined;
}

/** Determines status and document of a successful response from the result of an operation. */
const toOutcome = (route: Route, isDryRun: boolean, result: Document | Existing | undefined): Outcome =>
  result !== undefined && 'existing' in result
    ? { status: route.statusIfThere ?? route.status, document: result.existing }
    : { status: isDryRun ? 200 : route.status, document: result };

/**
 * Creates the handler at the end of the stack: it calls the operation of the route, and turns the result into a response
 * with the status of the route.
 * @throws TypeError for a route of another function.
 */
export const dispatch = <F extends FunctionName, D extends DispatchDependencies>(
  name: F,
  operations: Operations<F, D>,
  dependencies: D,
) => {
  const { publicUrl = readPublicUrl(), store } = dependencies;
  const hasAddresses = recordsAddresses();
  // The route table and the operations are typed by route; which route a request has is known at run time only.
  const byRoute = operations as { readonly [R in RouteId]?: Operation<never, D> };
  return async (event: HttpEvent, { state }: StatefulContext): Promise<HttpResponse> => {
    const { routeId, route, digest = '', idempotencyKey: key, query, include = new Set(), body } = state;
    const operation = routeId && byRoute[routeId];
    if (routeId === undefined || route === undefined || operation === undefined) {
      throw new TypeError(`The function ${name} has no operation for ${event.routeKey}`);
    }
    const { requestId, http } = event.requestContext;
    const address = hasAddresses ? http.sourceIp : undefined;
    const request = {
      parameters: event.pathParameters ?? {},
      query,
      include,
      body,
      isDryRun: state.isDryRun === true,
      digest,
      headers: event.headers,
      cookies: event.cookies ?? [],
      url: buildUrl(event, publicUrl),
      address: http.sourceIp,
    };
    const run = (id: string, attempt?: RequestContext['attempt']): Promise<OperationResult> => {
      const contextFor = (caller: Pick<RequestContext, 'principal'>) =>
        createRequestContext(id, caller, address, state.precondition, attempt);
      return operation({ ...request, id, contextFor } as unknown as OperationRequest<never>, dependencies);
    };
    const replay = (replays as Partial<Record<RouteId, Replay | 'again'>>)[routeId];
    const attempt = readServiceAttempt(event);
    // A dry run changes nothing, so it may be repeated without a key.
    const isOnce = (key !== undefined || attempt === 'resumed') && route.method !== 'GET' && !request.isDryRun;
    if (isOnce && store !== undefined && replay !== 'again') {
      const execution: Execution = {
        ...{ event, digest, route, replay },
        execute: async (id, of) => toOutcome(route, false, (await run(id, of)) as Document | Existing | undefined),
        show: ({ show: name, include: names }, parameters) => {
          const show = (operations as Readonly<Record<string, Show<D>>>)[name] as Show<D>;
          const shown = { ...request, parameters, query: new URLSearchParams(), include: new Set(names) };
          return show(shown, dependencies);
        },
      };
      const outcome = await (key === undefined ? executeAgain(store, execution) : executeOnce(store, key, execution));
      return createDocumentResponse(route, outcome, state);
    }
    const returned = await run(requestId, attempt);
    const result = returned instanceof WithCookies ? returned.result : returned;
    const cookies = returned instanceof WithCookies ? { cookies: returned.cookies } : {};
    if (result instanceof StaticFile) return createFileResponse(result, event.headers);
    if (result instanceof PlainDocument)
      return { ...createResponse(route.status, result.content, route.headers), ...cookies };
    if (result instanceof Redirect)
      return { ...createResponse(route.status, undefined, { location: result.location }), ...cookies };
    if (result instanceof Page) {
      const headers = { 'content-type': 'text/html; charset=utf-8', ...result.headers };
      return { ...createResponse(result.status, undefined, headers), body: result.html };
    }
    return createDocumentResponse(route, toOutcome(route, request.isDryRun, result), state);
  };
};

const createDocumentResponse = (
  route: Route,
  { status, document }: Outcome,
  { vocabulary = 'infra' }: RequestState,
): HttpResponse => {
  if (document === undefined || status === 204) {
    return createResponse(status, undefined, { ...route.headers, ...(document && entityTagHeader(document)) });
  }
  return createResponse(status, translateDocument(document, vocabulary), {
    ...route.headers,
    ...(dependsOnVocabulary(document) && { vary: VOCABULARY_HEADERS }),
    ...entityTagHeader(document),
  });
};
