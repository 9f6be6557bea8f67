import { DomainError } from '../../domain/errors.ts';
import type { Route } from '../../routes/index.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

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

/** Parses the query, and the `include` parameter of routes that need a credential. */
export const parseQuery = (): HttpMiddleware => {
  const parseQueryBefore = ({ event, internal }: HttpRequest): void => {
    const { route } = internal;
    internal.query = new URLSearchParams(event.rawQueryString);
    if (route && route.authenticated !== false) internal.include = readInclude(internal.query, route);
  };
  return { before: parseQueryBefore };
};
