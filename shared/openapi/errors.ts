import type { TSchema } from 'typebox';
import Type from 'typebox';
import { type ErrorStatus, wire } from '../jsonapi/errors.ts';
import type { Route } from '../routes/index.ts';
import { anything, list, object, oneOf, optional, text } from '../schemas/schema.ts';
import type { OperationDescription } from './operation.ts';

/** Errors of operations (HTTP-13), derived from the route table where possible. */

/** Default description of each error status. */
export const meanings: Readonly<Record<ErrorStatus, string>> = {
  308: 'The path has a slash at its end. `Location` is the path without it.',
  400: 'The body is missing or not valid JSON, or a query parameter or a header is not supported or has an invalid value.',
  401: 'The token is missing, unknown, expired or revoked.',
  403: 'The caller may see the resource, but lacks the permission for this operation.',
  404: 'The resource does not exist, or the caller may not see it. A caller who may see it reads in `detail` which permission is missing.',
  405: 'The path exists, but not for this method.',
  409: 'The current state of the resource does not allow this, or the first request with the `Idempotency-Key` is still running; `Retry-After` then says when to try again.',
  412: 'The resource has changed since `If-Match` was read. `ETag` is its current entity tag.',
  413: 'The body is too large.',
  415: 'The body is neither `application/vnd.api+json` nor `application/json`.',
  422: 'The request is well-formed but not valid. `source` names the cause.',
  428: 'The request needs `If-Match`.',
  429: 'The token has reached its rate limit, if the deployment has one. Retry after `Retry-After` seconds.',
  503: 'The service is busy. Retry after `Retry-After` seconds. A single change is never applied in part.',
};

export const LARGE = 'The response would exceed 5 MB: request a smaller page.';

/** Returns the error statuses of an operation with their descriptions. */
export const rejectionsOf = (route: Route, operation: OperationDescription): ReadonlyMap<ErrorStatus, string> => {
  // All errors of OAuth 2.0 have one status.
  if (route.oauth) return new Map();
  const statuses = new Set<ErrorStatus>();
  const isList = operation.response?.kind === 'page' || operation.response?.kind === 'list';
  if (route.authenticated !== false) {
    // 400 is for an unknown `include`, for `dry-run` and for `If-Match`.
    statuses.add(400).add(401).add(429).add(503);
    if (route.path.includes('{')) statuses.add(404);
    if (isList) statuses.add(422);
    // For the header `Idempotency-Key`.
    if (route.method !== 'GET') for (const status of [400, 409, 422] as const) statuses.add(status);
  }
  // For the parameters of its pages.
  if (isList) statuses.add(400);
  if (route.conditional) statuses.add(412);
  if (route.body !== undefined) for (const status of [400, 413, 415, 422] as const) statuses.add(status);
  const stated = operation.errors ?? {};
  for (const status of Object.keys(stated)) statuses.add(Number(status) as ErrorStatus);
  const general = (status: ErrorStatus) => (status === 422 && isList ? LARGE : meanings[status]);
  return new Map([...statuses].sort().map((status) => [status, stated[status] ?? general(status)]));
};

/** HTTP statuses of all errors, each once. */
export const errorStatuses = [...new Set(Object.values(wire).map(({ status }) => status))];

/** Returns the titles of all errors with a status. */
export const titlesOf = (status: ErrorStatus): readonly string[] =>
  Object.values(wire)
    .filter((it) => it.status === status)
    .map(({ title }) => title);

/** Returns the name of an error status in the document, for example `NotFound`. */
export const errorName = (status: ErrorStatus): string =>
  (titlesOf(status).at(-1) ?? '')
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const source = Type.Unsafe({
  description: 'Place of the cause in the request: a JSON pointer into the body, or a query parameter.',
  oneOf: [
    object({ pointer: text(undefined, { pattern: '^(/.*)?$', examples: ['/data/attributes/name'] }) }),
    object({ parameter: text() }),
  ],
});

/** Builds the schema of an error document. */
export const errorSchema = (status: ErrorStatus): TSchema =>
  object({
    errors: list(
      object({
        status: Type.Unsafe({ type: 'string', const: String(status) }),
        title: oneOf(titlesOf(status)),
        detail: optional(text('Explanation for people.')),
        source: optional(source),
        ...(status === 409 && {
          meta: optional(anything('Facts about the conflict, such as the lock and its holder.')),
        }),
      }),
      undefined,
      { minItems: 1 },
    ),
  });
