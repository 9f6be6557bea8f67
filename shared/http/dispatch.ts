import { createRequestContext } from '../domain/changes/change-context.ts';
import { entityTag } from '../domain/changes/entity-tags.ts';
import type { Caller } from '../domain/directory/records.ts';
import { type Document, REVISED, type Resource } from '../jsonapi/document.ts';
import type { RouteId } from '../routes/index.ts';
import { type FunctionName, readPublicUrl, recordsAddresses } from '../runtime/environment.ts';
import type { Operation, OperationRequest, OperationResult, Operations } from './operation.ts';
import { PlainDocument } from './plain-document.ts';
import { Redirect } from './redirect.ts';
import type { HttpEvent, StatefulContext } from './request.ts';
import { createResponse, type HttpResponse } from './response.ts';
import { createFileResponse, StaticFile } from './static-file.ts';
import { dependsOnVocabulary, translateDocument, VOCABULARY_HEADERS } from './translate-document.ts';

/** Builds the URL of a request. Headers do not count, because any client can send them. */
const buildUrl = ({ requestContext, rawPath }: HttpEvent, publicUrl: string | undefined): string =>
  `${publicUrl ?? `https://${requestContext.domainName}`}${rawPath}`;

const isOne = (data: Document['data']): data is Resource => !Array.isArray(data);

/** Builds the header with the entity tag of a document that shows one resource (EDIT-1). A dry run is none. */
const entityTagHeader = ({ data }: Document): { readonly etag?: string } =>
  isOne(data) && data.type !== 'dry-runs' ? { etag: entityTag(data[REVISED] ?? { id: data.id }) } : {};

/**
 * Creates the handler at the end of the stack: it calls the operation of the route, and turns the result into a response
 * with the status of the route.
 * @throws TypeError for a route of another function.
 */
export const dispatch =
  <F extends FunctionName>(
    name: F,
    operations: Operations<F>,
    publicUrl = readPublicUrl(),
    hasAddresses = recordsAddresses(),
  ) =>
  async (event: HttpEvent, { state }: StatefulContext): Promise<HttpResponse> => {
    const { routeId, route, digest = '', query, include = new Set(), vocabulary = 'infra', body } = state;
    // The route table and the operations are typed by route; which route a request has is known at run time only.
    const byRoute = operations as { readonly [R in RouteId]?: Operation<never> };
    const operation = routeId && byRoute[routeId];
    if (route === undefined || operation === undefined) {
      throw new TypeError(`The function ${name} has no operation for ${event.routeKey}`);
    }
    const { requestId, http } = event.requestContext;
    const address = hasAddresses ? http.sourceIp : undefined;
    const request = {
      id: requestId,
      contextFor: (caller: Pick<Caller, 'principal'>) =>
        createRequestContext(requestId, caller, address, state.precondition),
      parameters: event.pathParameters ?? {},
      query,
      include,
      body,
      isDryRun: state.isDryRun === true,
      digest,
      url: buildUrl(event, publicUrl),
    };
    const result: OperationResult = await operation(request as unknown as OperationRequest<never>);
    if (result instanceof StaticFile) return createFileResponse(result, event.headers);
    if (result instanceof PlainDocument) return createResponse(route.status, result.content, route.headers);
    if (result instanceof Redirect) return createResponse(route.status, undefined, { location: result.location });
    const [status, document] =
      result !== undefined && 'existing' in result
        ? [route.statusIfThere ?? route.status, result.existing]
        : [state.isDryRun ? 200 : route.status, result];
    if (document === undefined || status === 204) return createResponse(status, undefined, route.headers);
    return createResponse(status, translateDocument(document, vocabulary), {
      ...route.headers,
      ...(dependsOnVocabulary(document) && { vary: VOCABULARY_HEADERS }),
      ...entityTagHeader(document),
    });
  };
