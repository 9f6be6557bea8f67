import type { CorsDefinition } from '../assembly/assembly.ts';
import { getHeader, type HttpResponse, type IncomingRequest } from '../http/messages.ts';

type Headers = readonly (readonly [string, string])[];

/** Reports whether a CORS configuration allows an origin. */
export const allowsOrigin = (definition: CorsDefinition | undefined, origin: string): boolean =>
  (definition?.AllowOrigins ?? []).some(
    (pattern) => pattern === '*' || pattern === origin || pattern === `${origin.split('//', 1)[0]}//*`,
  );

/** Creates the behavior of an HTTP API with a CORS configuration: it responds to preflight requests and adds headers. */
export const createCors = (definition: CorsDefinition) => {
  const headersFor = (origin: string | undefined): Headers => {
    if (origin === undefined || !allowsOrigin(definition, origin)) return [];
    return [
      ['access-control-allow-origin', definition.AllowOrigins?.includes('*') ? '*' : origin],
      ...(definition.AllowCredentials ? [['access-control-allow-credentials', 'true'] as const] : []),
      ...listHeader('access-control-expose-headers', definition.ExposeHeaders),
    ];
  };
  return {
    /** Returns the headers to add to a response for an origin. They replace headers of the function. */
    headersFor,
    /** Returns the response to a preflight request; undefined for any other request. */
    preflight: (request: Pick<IncomingRequest, 'method' | 'rawHeaders'>): HttpResponse | undefined => {
      const origin = getHeader(request, 'origin');
      if (request.method !== 'OPTIONS' || !origin || !getHeader(request, 'access-control-request-method'))
        return undefined;
      const originHeaders = headersFor(origin);
      const maxAge = definition.MaxAge === undefined ? [] : [String(definition.MaxAge)];
      const headers = [
        ...originHeaders,
        ...listHeader('access-control-allow-methods', definition.AllowMethods),
        ...listHeader('access-control-allow-headers', definition.AllowHeaders),
        ...listHeader('access-control-max-age', maxAge),
      ];
      return { status: 204, headers: originHeaders.length === 0 ? [] : headers, body: Buffer.alloc(0) };
    },
  };
};

const listHeader = (name: string, values: readonly string[] = []): Headers =>
  values.length > 0 ? [[name, values.join(',')]] : [];
