import type { Route } from '../../routes/index.ts';
import type { HttpRequest } from '../request.ts';

/**
 * Creates the headers of a deprecated path (HTTP-26): the time of its deprecation (RFC 9745), and the path to use
 * instead (RFC 8288, with the relation of RFC 5829). Parameters of that path are written as in
 * `/workspaces/:workspace_id`.
 */
const createHeaders = ({ since, successor }: NonNullable<Route['deprecated']>): Record<string, string> => ({
  deprecation: `@${since}`,
  link: `<${successor.replaceAll(/\{(\w+)\}/g, ':$1')}>; rel="successor-version"`,
});

/** Adds deprecation headers to every response of a deprecated path, errors included. */
export const addDeprecationHeaders = (request: HttpRequest): void => {
  const { response, internal } = request;
  const deprecated = internal.route?.deprecated;
  if (deprecated === undefined || !response) return;
  request.response = { ...response, headers: { ...response.headers, ...createHeaders(deprecated) } };
};
