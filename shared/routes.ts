/**
 * The one list of HTTP routes (spec 4). Everything that knows about routes derives from it: API Gateway's routes, the
 * dispatch of each function, the 405 answers, the tests. Pure data, so that the infrastructure can read it too.
 */

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How a request body is treated: none is read, one must be there, or one may be there. */
interface BodyRule {
  /** Name of the schema that validates the parsed body, see `shared/schemas`. */
  readonly schema: string;
  readonly required: boolean;
}

export interface Route {
  readonly method: Method;
  /** Path in API Gateway's notation, `{name}` for a parameter. */
  readonly path: string;
  /** The folder under `functions/` that serves it. */
  readonly function: string;
  /** Status of a success; 204 has no body. */
  readonly status: 200 | 201 | 204;
  readonly body?: BodyRule;
  /** False: answered to anyone, without a credential. */
  readonly authenticated?: false;
}

/** Every path of the API starts with this. */
export const BASE_PATH = '/api/v2';

const byId = '/api/v2/workspaces/{workspace_id}';
const ofOrganization = '/api/v2/organizations/{organization_name}/workspaces';
const byName = `${ofOrganization}/{name}` as const;

export const routes = {
  ping: { method: 'GET', path: '/api/v2/ping', function: 'fallback', status: 204, authenticated: false },

  'workspaces.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'workspaces',
    status: 201,
    body: { schema: 'workspace', required: true },
  },
  'workspaces.show': { method: 'GET', path: byId, function: 'workspaces', status: 200 },
  'workspaces.show-by-name': { method: 'GET', path: byName, function: 'workspaces', status: 200 },
  'workspaces.update': {
    method: 'PATCH',
    path: byId,
    function: 'workspaces',
    status: 200,
    body: { schema: 'workspace', required: true },
  },
  'workspaces.update-by-name': {
    method: 'PATCH',
    path: byName,
    function: 'workspaces',
    status: 200,
    body: { schema: 'workspace', required: true },
  },

  'workspaces.list': { method: 'GET', path: ofOrganization, function: 'workspace-list', status: 200 },

  'workspaces.lock': {
    method: 'POST',
    path: `${byId}/actions/lock`,
    function: 'workspace-locks',
    status: 200,
    body: { schema: 'workspaceLock', required: false },
  },
  'workspaces.unlock': { method: 'POST', path: `${byId}/actions/unlock`, function: 'workspace-locks', status: 200 },
  'workspaces.force-unlock': {
    method: 'POST',
    path: `${byId}/actions/force-unlock`,
    function: 'workspace-locks',
    status: 200,
  },

  'workspaces.safe-delete': {
    method: 'POST',
    path: `${byId}/actions/safe-delete`,
    function: 'workspace-deletion',
    status: 204,
  },
  'workspaces.safe-delete-by-name': {
    method: 'POST',
    path: `${byName}/actions/safe-delete`,
    function: 'workspace-deletion',
    status: 204,
  },
  'workspaces.force-delete': { method: 'DELETE', path: byId, function: 'workspace-deletion', status: 204 },
  'workspaces.force-delete-by-name': { method: 'DELETE', path: byName, function: 'workspace-deletion', status: 204 },
} as const satisfies Record<string, Route>;

type Routes = typeof routes;
export type RouteId = keyof Routes;
/** The routes that one function serves. */
export type RouteIdOf<F extends string> = { [R in RouteId]: Routes[R]['function'] extends F ? R : never }[RouteId];

type ParameterNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
/** Path parameters of a route, by name. */
export type PathParameters<R extends RouteId> = { readonly [N in ParameterNames<Routes[R]['path']>]: string };

/** API Gateway's route key, also what `event.routeKey` says: `POST /api/v2/...`. */
export const routeKey = (route: Route): string => `${route.method} ${route.path}`;

export const routeIds = Object.keys(routes) as RouteId[];

const pattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);

/** The methods that a concrete path answers to, for 405 and its `Allow` header; empty for an unknown path. */
export const methodsOf = (path: string): Method[] => [
  ...new Set(routeIds.filter((id) => pattern(routes[id].path).test(path)).map((id) => routes[id].method)),
];
