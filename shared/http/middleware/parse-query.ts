import { DomainError } from '../../domain/errors.ts';
import { queryParameters } from '../../openapi/compiled/query-parameters.js';
import type { Route, RouteId } from '../../routes/index.ts';
import type { HttpRequest } from '../request.ts';

/**
 * Returns the names in the `include` parameter (HTTP-27). Hyphens count as underscores, because some clients write them.
 * @throws DomainError 400 for a name that the route cannot include (HTTP-28).
 */
const readInclude = (query: URLSearchParams, { method, includes = [] }: Route): ReadonlySet<string> => {
  // `include` is ignored on writes, so an invalid include never fails a mutation.
  if (method !== 'GET') return new Set();
  const names = query
    .getAll('include')
    .flatMap((list) => list.split(','))
    .map((name) => name.trim().replaceAll('-', '_'))
    .filter((name) => name !== '');
  if (names.every((name) => includes.includes(name))) return new Set(names);
  // Clients match on this exact text, and then repeat the request without `include`.
  throw new DomainError('bad-request', 'Invalid include parameter', { source: { parameter: 'include' } });
};

/** Names of parameters that are selected from: a client that sends one expects fewer rows. */
const SELECTING = /^(filter|search)\[/;
/** Index of an element in the name of a parameter, as in `filter[tagged][0][key]`. */
const INDEX = /\[[^\]]*\](?=\[(?:key|value)\]$)/;
/** Names that an error may repeat. Any other one could contain text that clients match on. */
const PLAIN_NAME = /^[\w[\].-]{1,100}$/;

/**
 * Requires that the route has every filter of the query (HTTP-35), because a filter that is ignored would return too many
 * rows, and that it can sort if the query has `sort`. The operation checks the values.
 * @throws DomainError 400, which names the known parameters.
 */
const requireKnown = (query: URLSearchParams, routeId: RouteId, { method }: Route): void => {
  if (method !== 'GET') return;
  const known = queryParameters[routeId] ?? [];
  for (const parameter of query.keys()) {
    const isSort = parameter === 'sort' && query.get('sort') !== '';
    if ((!isSort && !SELECTING.test(parameter)) || known.includes(parameter.replace(INDEX, '[0]'))) continue;
    const name = PLAIN_NAME.test(parameter) ? parameter : 'A filter in the query';
    const others = known.length === 0 ? 'It has no filters.' : `It has: ${known.join(', ')}.`;
    throw new DomainError('bad-request', `${name} is not a parameter of this path. ${others}`, {
      source: { parameter },
    });
  }
};

/** Parses the query, and the `include` parameter of routes that need a credential. */
export const parseQuery = ({ event, internal }: HttpRequest): void => {
  const { route, routeId } = internal;
  internal.query = new URLSearchParams(event.rawQueryString);
  if (!route || !routeId || route.authenticated === false) return;
  internal.include = readInclude(internal.query, route);
  requireKnown(internal.query, routeId, route);
};
