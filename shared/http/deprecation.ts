import type { Route } from '../routes/index.ts';

/**
 * The headers of a deprecated path: since when it is (RFC 9745), and the path to use in its place (RFC 8288, with the
 * relation of RFC 5829). Parameters stand in that as in `/workspaces/:workspace_id`.
 */
export const deprecationHeaders = ({ since, successor }: NonNullable<Route['deprecated']>): Record<string, string> => ({
  deprecation: `@${since}`,
  link: `<${successor.replaceAll(/\{(\w+)\}/g, ':$1')}>; rel="successor-version"`,
});
