import type { CorsDefinition } from '../assembly/assembly.ts';
import type { HttpAnswer } from './http-response.ts';

type Headers = readonly (readonly [string, string])[];

/** What an HTTP API with a CORS configuration does by itself: it answers preflights and marks the other answers. */
export interface Cors {
  /** The answer to a preflight request; undefined for any other request. */
  preflight(method: string, headers: Readonly<Record<string, string | undefined>>): HttpAnswer | undefined;
  /** Headers to add to the answer for a page of this origin; they replace what the function says. */
  headersFor(origin: string | undefined): Headers;
}

export const corsOf = (definition: CorsDefinition): Cors => {
  const allowed = (origin: string): boolean =>
    (definition.AllowOrigins ?? []).some(
      (pattern) => pattern === '*' || pattern === origin || pattern === `${origin.split('//', 1)[0]}//*`,
    );
  const headersFor = (origin: string | undefined): Headers => {
    if (origin === undefined || !allowed(origin)) return [];
    return [
      ['access-control-allow-origin', definition.AllowOrigins?.includes('*') ? '*' : origin],
      ...(definition.AllowCredentials ? [['access-control-allow-credentials', 'true'] as const] : []),
      ...list('access-control-expose-headers', definition.ExposeHeaders),
    ];
  };
  return {
    headersFor,
    preflight: (method, headers) => {
      if (method !== 'OPTIONS' || !headers['origin'] || !headers['access-control-request-method']) return undefined;
      const granted = headersFor(headers['origin']);
      return {
        status: 204,
        headers:
          granted.length === 0
            ? []
            : [
                ...granted,
                ...list('access-control-allow-methods', definition.AllowMethods),
                ...list('access-control-allow-headers', definition.AllowHeaders),
                ...list('access-control-max-age', definition.MaxAge === undefined ? [] : [String(definition.MaxAge)]),
              ],
        body: Buffer.alloc(0),
      };
    },
  };
};

const list = (name: string, values: readonly string[] = []): Headers =>
  values.length > 0 ? [[name, values.join(',')]] : [];
