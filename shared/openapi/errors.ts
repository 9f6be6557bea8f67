import type { TSchema } from 'typebox';
import Type from 'typebox';
import { type ErrorStatus, wire } from '../jsonapi/errors.ts';
import type { Route } from '../routes/index.ts';
import { list, object, oneOf, optional, text } from '../schemas/schema.ts';
import type { Operation } from './operation.ts';

/** The errors that operations answer, derived from the route table as far as it says (HTTP-13). */

/** What each means where an operation does not say it better. */
export const meanings: Readonly<Record<ErrorStatus, string>> = {
  400: 'The body is no JSON, is missing, or a query parameter has a value that it cannot have.',
  401: 'There is no token, or it is unknown, expired or revoked.',
  403: 'The caller sees it, but may not do this.',
  404: 'It is not there, or not for the caller. Who may see it is told which permission is missing.',
  405: 'The path answers to other methods.',
  409: 'Its state does not allow this now.',
  412: 'Another state has come before it.',
  413: 'The body is larger than the service takes.',
  415: 'The body is neither `application/vnd.api+json` nor `application/json`.',
  422: 'The request is understood, but asks for something that cannot be. `source` says where.',
  503: 'The service is busy. Nothing is half done; try again after `Retry-After` seconds.',
};

const LARGE = 'The answer would be larger than 5 MB: ask for a smaller page.';

/** What an operation can answer besides success, each with its meaning. */
export const refusalsOf = (route: Route, operation: Operation): ReadonlyMap<ErrorStatus, string> => {
  const statuses = new Set<ErrorStatus>();
  const isList = operation.answers?.kind === 'page' || operation.answers?.kind === 'list';
  if (route.authenticated !== false) {
    statuses.add(401).add(503);
    if (route.path.includes('{')) statuses.add(404);
    // An `include` that is not known.
    if (route.method === 'GET') statuses.add(400);
    if (isList) statuses.add(422);
  }
  if (route.body !== undefined) for (const status of [400, 413, 415, 422] as const) statuses.add(status);
  const said = operation.refuses ?? {};
  for (const status of Object.keys(said)) statuses.add(Number(status) as ErrorStatus);
  const general = (status: ErrorStatus) => (status === 422 && isList ? LARGE : meanings[status]);
  return new Map([...statuses].sort().map((status) => [status, said[status] ?? general(status)]));
};

export const errorStatuses = [...new Set(Object.values(wire).map(({ status }) => status))];

export const titlesOf = (status: ErrorStatus): readonly string[] =>
  Object.values(wire)
    .filter((it) => it.status === status)
    .map(({ title }) => title);

/** `NotFound`: the name of a status in the document. */
export const errorName = (status: ErrorStatus): string =>
  (titlesOf(status).at(-1) ?? '')
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const source = Type.Unsafe({
  description: 'Where in the request the cause is: a JSON pointer into the body, or a query parameter.',
  oneOf: [
    object({ pointer: text(undefined, { pattern: '^(/.*)?$', examples: ['/data/attributes/name'] }) }),
    object({ parameter: text() }),
  ],
});

/** The document of an error. */
export const errorSchema = (status: ErrorStatus): TSchema =>
  object({
    errors: list(
      object({
        status: Type.Unsafe({ type: 'string', const: String(status) }),
        title: oneOf(titlesOf(status)),
        detail: optional(text('For people to read.')),
        source: optional(source),
      }),
      undefined,
      { minItems: 1 },
    ),
  });
