import type { RouteDefinition } from '../assembly/assembly.ts';

/** The route of a request, and its decoded path parameters. */
export interface MatchedRoute {
  readonly route: RouteDefinition;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the route of a request; undefined when no route matches. */
export type MatchRoute = (method: string, rawPath: string) => MatchedRoute | undefined;

interface Pattern {
  readonly route: RouteDefinition;
  readonly method: string;
  readonly segments: readonly string[];
}

/**
 * Creates a function that chooses routes as HTTP APIs do. It matches the encoded path, so an encoded slash does not
 * separate segments. The most specific route wins: a literal segment before `{parameter}` before `{proxy+}`, and a method
 * before `ANY`. The route `$default` matches everything else.
 *
 * The returned function throws URIError when a parameter is not valid percent-encoding.
 * @example
 * createRouteMatcher(routes)('GET', '/workspaces/ws-1')?.parameters; // { id: 'ws-1' }
 */
export const createRouteMatcher = (routes: readonly RouteDefinition[]): MatchRoute => {
  const fallback = routes.find(({ key }) => key === '$default');
  const patterns = routes
    .filter(({ key }) => key !== '$default')
    .map((route): Pattern => {
      const [method = '', path = ''] = route.key.split(' ');
      return { route, method, segments: path.split('/') };
    })
    .sort(bySpecificity);

  return (method, rawPath) => {
    const segments = rawPath.split('/');
    for (const pattern of patterns) {
      if (pattern.method !== method && pattern.method !== 'ANY') continue;
      const parameters = matchSegments(pattern.segments, segments);
      if (parameters) return { route: pattern.route, parameters };
    }
    return fallback && { route: fallback, parameters: {} };
  };
};

const specificity = (segment: string | undefined): number => {
  if (segment === undefined) return 3;
  if (segment.endsWith('+}')) return 2;
  return segment.startsWith('{') ? 1 : 0;
};

const bySpecificity = (one: Pattern, other: Pattern): number => {
  const length = Math.max(one.segments.length, other.segments.length);
  for (let i = 0; i < length; i++) {
    const difference = specificity(one.segments[i]) - specificity(other.segments[i]);
    if (difference !== 0) return difference;
  }
  return Number(one.method === 'ANY') - Number(other.method === 'ANY');
};

const matchSegments = (pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined => {
  const parameters: [string, string][] = [];
  for (const [i, expected] of pattern.entries()) {
    const segment = segments[i];
    if (segment === undefined) return undefined;
    if (expected.endsWith('+}')) {
      parameters.push([expected.slice(1, -2), decodeURIComponent(segments.slice(i).join('/'))]);
      return Object.fromEntries(parameters);
    }
    if (expected.startsWith('{')) {
      if (segment === '') return undefined;
      parameters.push([expected.slice(1, -1), decodeURIComponent(segment)]);
    } else if (expected !== segment) return undefined;
  }
  return pattern.length === segments.length ? Object.fromEntries(parameters) : undefined;
};
