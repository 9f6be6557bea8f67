import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { DomainError, notFound } from '../domain/errors.ts';
import { methodsOf } from '../routes/index.ts';

/**
 * What no route matches: 405 where the path answers to other methods, else 404. The path comes decoded, so one with an
 * encoded slash may look like a route; that it was not routed although its method fits tells them apart.
 */
export const unrouted = ({ rawPath, requestContext }: APIGatewayProxyEventV2): DomainError => {
  const allow: readonly string[] = methodsOf(rawPath);
  return allow.length === 0 || allow.includes(requestContext.http.method)
    ? notFound()
    : new DomainError('method-not-allowed', undefined, { allow });
};
