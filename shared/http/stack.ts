import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Features } from '../domain/editions.ts';
import type { Logger } from '../logging/log.ts';
import type { Meter } from '../logging/meter.ts';
import { type FunctionName, readDeploymentName } from '../runtime/environment.ts';
import type { Validator } from '../schemas/error-messages.ts';
import { dispatch } from './dispatch.ts';
import type { IdempotencyStore } from './idempotency/execute-once.ts';
import { addDeprecationHeaders } from './middleware/add-deprecation-headers.ts';
import { chooseVocabulary } from './middleware/choose-vocabulary.ts';
import { compressResponse } from './middleware/compress-response.ts';
import { logRequest } from './middleware/log-request.ts';
import { matchRoute, requireFeature } from './middleware/match-route.ts';
import { parseBody } from './middleware/parse-body.ts';
import { parseQuery } from './middleware/parse-query.ts';
import { readCredential } from './middleware/read-credential.ts';
import { readDryRun } from './middleware/read-dry-run.ts';
import { readIdempotencyKey } from './middleware/read-idempotency-key.ts';
import { readPrecondition } from './middleware/read-precondition.ts';
import { type RejectionStore, recordRejection } from './middleware/record-rejection.ts';
import { type FirstUseStore, reportFirstUse } from './middleware/report-first-use.ts';
import { serializeError } from './middleware/serialize-error.ts';
import { unifyNames } from './middleware/unify-names.ts';
import { validateBody } from './middleware/validate-body.ts';
import type { Operations } from './operation.ts';
import { type HttpEvent, type RequestState, shareState } from './request.ts';
import type { HttpResponse } from './response.ts';

/** Dependencies of a function that the stack uses. */
interface StackDependencies {
  readonly logger: Logger;
  /** Counts the calls to DynamoDB, for the log. */
  readonly meter?: Meter;
  /** Features of the deployed edition; not needed by functions whose routes belong to no feature. */
  readonly features?: Features;
  /** Compiled validators of the bodies that the function takes, by the names of their schemas. */
  readonly validators?: Readonly<Record<string, Validator>>;
  /** Needed by functions that authenticate callers. */
  readonly store?: IdempotencyStore & FirstUseStore & RejectionStore;
}

/** Dependencies of a function that the gate in front of it uses too (docs/decisions/0074). */
interface SharedDependencies {
  readonly logger?: Logger;
  readonly store?: IdempotencyStore;
}

/** Handler of a Lambda function behind API Gateway. */
export interface HttpHandler {
  (event: HttpEvent, context: Context): Promise<HttpResponse>;
  readonly shared?: SharedDependencies;
}

/**
 * Creates the handler of a function that serves routes. Every request passes through the same stack: down through the
 * `before` hooks, then the operation, then up through the `after` hooks, or the `onError` hooks if anything was thrown.
 * @param name folder of the function. Its operations must match its routes in the route table exactly.
 * @param dependencies every operation is called with them.
 * @example
 * export const handler = createHandler('workspace-locks', lockOperations, {
 *   ...openDependencies('workspace-locks'),
 *   validators: { workspaceLock },
 * });
 */
export const createHandler = <F extends FunctionName, D extends StackDependencies>(
  name: F,
  operations: Operations<F, NoInfer<D>>,
  dependencies: D,
): HttpHandler => {
  const { logger, meter, features, validators, store } = dependencies;
  const reportUse = reportFirstUse({ logger, store });
  // Each hook is awaited only if it returns a promise.
  const stack = middy<HttpEvent, HttpResponse, Error, Context, RequestState>({ timeoutEarlyInMillis: 0 })
    .use(logRequest({ logger, meter, deployment: readDeploymentName(name) }))
    .after(reportUse)
    .onError(reportUse)
    .onError(recordRejection({ logger, store }))
    .after(compressResponse)
    .onError(compressResponse)
    .after(addDeprecationHeaders)
    .onError(addDeprecationHeaders)
    .onError(serializeError)
    .before(matchRoute)
    .before(requireFeature(features))
    .before(readCredential)
    .before(readIdempotencyKey)
    .before(chooseVocabulary())
    .before(readPrecondition)
    .before(parseQuery)
    .before(readDryRun)
    .before(parseBody)
    .before(validateBody(validators))
    .before(unifyNames)
    .before(shareState)
    .handler(dispatch(name, operations, dependencies) as never);
  return Object.assign(stack as unknown as HttpHandler, { shared: { logger, store } }) as HttpHandler;
};
