import type { Features } from '../../domain/editions.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { methodsOf, type RouteId, routeIds, routeKey, routes } from '../../routes/index.ts';
import type { HttpEvent, HttpRequest } from '../request.ts';

const routeIdsByKey = new Map<string, RouteId>(routeIds.map((id) => [routeKey(routes[id]), id]));

/**
 * Creates the error for a request that API Gateway matched to no route: a redirect if the path is that of a route but for a
 * slash at its end (HTTP-46), 405 if the path has other methods, else 404.
 * The path arrives decoded, so a path with an encoded slash may look like a route. It has a method that the route has,
 * which tells the two cases apart.
 */
const createRoutingError = ({ rawPath, rawQueryString, requestContext }: HttpEvent): DomainError => {
  // API Gateway has no route for the path of a route with a slash at its end.
  const trimmed = rawPath.replace(/\/+$/, '');
  if (trimmed !== rawPath && methodsOf(trimmed).length > 0) {
    const path = trimmed.split('/').map(encodeURIComponent).join('/');
    return new DomainError(
      'permanent-redirect',
      'The path ends with a slash. Repeat the request without it, at the address in Location.',
      {
        location: rawQueryString ? `${path}?${rawQueryString}` : path,
      },
    );
  }
  const allow: readonly string[] = methodsOf(rawPath);
  return allow.length === 0 || allow.includes(requestContext.http.method)
    ? notFound()
    : new DomainError('method-not-allowed', `This path supports only ${allow.join(', ')}.`, { allow });
};

/** Finds the route of a request by API Gateway's route key (HTTP-1). Rejects other requests with 404 or 405, or redirects them. */
export const matchRoute = ({ event, internal }: HttpRequest): void => {
  const routeId = routeIdsByKey.get(event.routeKey);
  if (routeId === undefined) throw createRoutingError(event);
  internal.routeId = routeId;
  internal.route = routes[routeId];
};

/**
 * Rejects routes of features that the deployed edition does not have, with 404 for every caller (EDITION-1).
 * @param features features of the deployed edition; not needed by functions whose routes belong to no feature.
 */
export const requireFeature =
  (features: Features | undefined) =>
  ({ internal: { route } }: HttpRequest): void => {
    if (route?.feature !== undefined && features?.[route.feature] !== true) throw notFound();
  };
