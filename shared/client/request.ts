import type { DocumentOf, InputOf, Method, PathOf } from './types.ts';

declare const DOCUMENT: unique symbol;

/**
 * A request to the API as a value, so that the same description is sent, shown as a curl command and repeated.
 * `D` is the document of the successful response.
 */
export interface ApiRequest<D = unknown> {
  readonly method: Uppercase<Method>;
  /** Path with the query, below the origin. */
  readonly url: string;
  readonly body?: unknown;
  /** Entity tag of the revision that may be changed (EDIT-3). */
  readonly ifMatch?: string | undefined;
  /** Whether the response redirects to the content. */
  readonly isRedirected?: boolean;
  /** Whether the body is sent as a form, as the endpoints of OAuth 2.0 need it. They take no token. */
  readonly isForm?: boolean;
  /** Names of members of the body that a curl command replaces by a placeholder. */
  readonly secrets?: readonly string[];
  /** Key of the intention (HTTP-37). Absent: a new one for each request that is sent. */
  readonly idempotencyKey?: string;
  readonly [DOCUMENT]?: D;
}

type Value = string | number | boolean | readonly string[] | undefined | null;

const queryText = (query: Readonly<Record<string, Value>>): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`;
};

/** Options of a request that are neither parameters nor body. */
type Options = Pick<ApiRequest, 'ifMatch' | 'isRedirected' | 'isForm' | 'secrets'>;

/**
 * Describes a request to the API. Paths, parameters, bodies and documents are typed by the OpenAPI document.
 * @example
 * apiRequest('post', '/api/v2/workspaces/{workspace_id}/actions/lock', { path: { workspace_id: id }, body: { reason } })
 */
export const apiRequest = <M extends Method, P extends PathOf<M>>(
  method: M,
  template: P,
  input: InputOf<M, P>,
  options: Options = {},
): ApiRequest<DocumentOf<M, P>> => {
  const {
    path = {},
    query = {},
    body,
  } = input as {
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, Value>>;
    readonly body?: unknown;
  };
  const filled = String(template).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  return {
    method: method.toUpperCase() as Uppercase<M>,
    url: filled + queryText(query),
    ...(body !== undefined && { body }),
    ...options,
  };
};

/** Encodes the body of a form. */
export const toForm = (body: unknown): URLSearchParams => new URLSearchParams(body as Readonly<Record<string, string>>);

const redact = (body: unknown, secrets: readonly string[]): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value: unknown) => (secrets.includes(name) && value !== null ? `<${name}>` : value)),
  );

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Renders a request as a curl command. The token is the environment variable `HOLDFAST_TOKEN`; sensitive values are
 * placeholders.
 * @param origin scheme and host of the service.
 */
export const toCurl = (
  { method, url, body, ifMatch, isRedirected = false, isForm = false, secrets = [] }: ApiRequest,
  origin: string,
): string =>
  [
    `curl -sS -g${isRedirected ? ' -L' : ''}${method === 'GET' ? '' : ` -X ${method}`}`,
    quote(origin + readableBrackets(url)),
    ...(isForm ? [] : ['-H "Authorization: Bearer $HOLDFAST_TOKEN"']),
    ...(ifMatch === undefined ? [] : [`-H ${quote(`If-Match: ${ifMatch}`)}`]),
    ...(body === undefined
      ? []
      : isForm
        ? [`-d ${quote(`${toForm(redact(body, secrets))}`)}`]
        : [
            `-H ${quote('Content-Type: application/vnd.api+json')}`,
            `-d ${quote(JSON.stringify(redact(body, secrets), null, 2))}`,
          ]),
  ].join(' \\\n  ');

/** Brackets of parameter names need no encoding in a command that is meant to be read. */
const readableBrackets = (url: string): string => url.replaceAll('%5B', '[').replaceAll('%5D', ']');
