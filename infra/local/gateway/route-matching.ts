import type { RouteDefinition } from '../assembly/assembly.ts';

/** The route that a request takes, and the path parameters, decoded once. */
export interface MatchedRoute {
  readonly route: RouteDefinition;
  readonly parameters: Readonly<Record<string, string>>;
}

export type Match = (method: string, rawPath: string) => MatchedRoute | undefined;

interface Pattern {
  readonly route: RouteDefinition;
  readonly method: string;
  readonly segments: readonly string[];
}

/**
 * Matches as HTTP APIs do: on the path as it came, so an encoded slash stays inside its segment; the most specific route
 * wins, a literal segment before `{parameter}` before `{proxy+}`, a method before `ANY`; `$default` takes the rest.
 *
 * The function it gives throws URIError for a parameter that is no valid percent-encoding.
 */
export const matcherOf = (routes: readonly RouteDefinition[]): Match => {
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
      const parameters = parametersOf(pattern.segments, segments);
      if (parameters) return { route: pattern.route, parameters };
    }
    return fallback && { route: fallback, parameters: {} };
  };
};

const rankOf = (segment: string | undefined): number => {
  if (segment === undefined) return 3;
  if (segment.endsWith('+}')) return 2;
  return segment.startsWith('{') ? 1 : 0;
};

const bySpecificity = (one: Pattern, other: Pattern): number => {
  const length = Math.max(one.segments.length, other.segments.length);
  for (let i = 0; i < length; i++) {
    const difference = rankOf(one.segments[i]) - rankOf(other.segments[i]);
    if (difference !== 0) return difference;
  }
  return Number(one.method === 'ANY') - Number(other.method === 'ANY');
};

const parametersOf = (pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined => {
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
