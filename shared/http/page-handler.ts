import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Logger } from '../logging/log.ts';
import { logRequest } from './middleware/log-request.ts';
import { serializeError } from './middleware/serialize-error.ts';
import type { HttpEvent, RequestState } from './request.ts';
import type { HttpResponse } from './response.ts';
import type { HttpHandler } from './stack.ts';

/**
 * Creates the handler of a function that serves pages and is no part of the API: requests have no route, no credential
 * and no body. They are logged like all others, and errors are JSON:API documents.
 * @param respond may throw a DomainError.
 */
export const createPageHandler = (logger: Logger, respond: (event: HttpEvent) => HttpResponse): HttpHandler =>
  middy<HttpEvent, HttpResponse, Error, Context, RequestState>({ timeoutEarlyInMillis: 0 })
    .use(logRequest({ logger }))
    .onError(serializeError)
    .handler(async (event) => respond(event)) as unknown as HttpHandler;
