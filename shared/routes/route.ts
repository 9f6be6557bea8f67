import type { Features } from '../domain/editions.ts';
import { BASE_PATH } from './api.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Request body of a route that reads one. */
interface BodyRule {
  /** Name of the schema that validates the parsed body, see `shared/resources/request-bodies.ts`. */
  readonly schema: string;
  readonly required: boolean;
  /**
   * Set if the operation validates the body after it has found the resource, so that an unknown resource is 404 whatever
   * the body contains (HTTP-11).
   */
  readonly validatedByOperation?: true;
  /** Set if the body may contain a state, so that the larger size limit applies. */
  readonly large?: true;
}

export interface Route {
  readonly method: Method;
  /** Path in API Gateway's notation, `{name}` for a parameter. */
  readonly path: string;
  /** The folder under `functions/` that serves it. */
  readonly function: string;
  /** Status of a success; 204 and 307 have no body. */
  readonly status: 200 | 201 | 202 | 204 | 307;
  /** Status of a success if the resource existed already. */
  readonly statusIfThere?: 200;
  /** Headers of a successful response in addition to the common headers, by names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyRule;
  /** Valid values of `include`; absent if there are none (HTTP-27). */
  readonly includes?: readonly string[];
  /** False: no credential is required. */
  readonly authenticated?: false;
  /** Feature that the route belongs to. Editions without the feature do not have the route. */
  readonly feature?: keyof Features;
  /** Set if the route honors `If-Match` (EDIT-3). Every other route rejects the header. */
  readonly conditional?: true;
  /** Set if the route has a dry run (EDIT-6). Every other route that writes rejects the parameter. */
  readonly dryRun?: true;
  /** Set if bodies are forms, and errors are those of OAuth 2.0, with status 400 (WI-8). */
  readonly oauth?: true;
  /** Set if people open the path in a browser, so that the response to an error is an HTML page. */
  readonly page?: true;
  readonly deprecated?: Deprecation;
}

/** Deprecation of a path in favor of another one. */
interface Deprecation {
  /** In seconds since the epoch. */
  readonly since: number;
  /** The path to use in its place, in API Gateway's notation. */
  readonly successor: string;
}

/** API Gateway's route key, also what `event.routeKey` says: `POST /api/v2/...`. */
export const routeKey = (route: Route): string => `${route.method} ${route.path}`;

/** The values of `include` on workspaces (HTTP-29), and the types of the resources that each of them includes. */
export const workspaceIncludeTypes = {
  agent_pool: ['agent-pools'],
  current_assessment_result: [],
  current_configuration_version: ['configuration-versions'],
  'current_configuration_version.ingress_attributes': ['configuration-versions', 'ingress-attributes'],
  current_run: ['runs'],
  'current_run.apply': ['runs', 'applies'],
  'current_run.configuration_version': ['runs', 'configuration-versions'],
  'current_run.configuration_version.ingress_attributes': ['runs', 'configuration-versions', 'ingress-attributes'],
  'current_run.plan': ['runs', 'plans'],
  current_state_version: ['state-versions'],
  effective_tag_bindings: ['effective-tag-bindings'],
  latest_run: ['runs'],
  'latest_run.apply': ['runs', 'applies'],
  'latest_run.configuration_version': ['runs', 'configuration-versions'],
  'latest_run.configuration_version.ingress_attributes': ['runs', 'configuration-versions', 'ingress-attributes'],
  'latest_run.plan': ['runs', 'plans'],
  locked_by: ['users', 'teams', 'runs'],
  organization: ['organizations'],
  outputs: ['workspace-outputs'],
  project: ['projects'],
  readme: ['workspace-readme'],
  vars: ['vars'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type WorkspaceInclude = keyof typeof workspaceIncludeTypes;
export const workspaceIncludes = Object.keys(workspaceIncludeTypes) as readonly WorkspaceInclude[];

/** The values of `include` on agent pools (POOL-7), and the types of the resources that each of them includes. */
export const agentPoolIncludeTypes = {
  workspaces: ['workspaces'],
  allowed_workspaces: ['workspaces'],
  allowed_projects: ['projects'],
  excluded_workspaces: ['workspaces'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type AgentPoolInclude = keyof typeof agentPoolIncludeTypes;
export const agentPoolIncludes = Object.keys(agentPoolIncludeTypes) as readonly AgentPoolInclude[];

/** The values of `include` on VCS connections (VCS-6), and the types of the resources that each of them includes. */
export const oauthClientIncludeTypes = {
  oauth_tokens: ['oauth-tokens'],
  projects: ['projects'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type OauthClientInclude = keyof typeof oauthClientIncludeTypes;
export const oauthClientIncludes = Object.keys(oauthClientIncludeTypes) as readonly OauthClientInclude[];

/** The routes of one group. */
export type Routes = Readonly<Record<string, Route>>;

type Options = Omit<Route, 'method' | 'path' | 'function' | 'status'>;

/** Creates the function that builds the routes of a Lambda function with one method. */
const withMethod =
  <const M extends Method, const F extends string>(method: M, name: F) =>
  <const P extends string, const S extends Route['status'], const O extends Options = object>(
    path: P,
    status: S,
    options?: O,
  ) =>
    ({ method, path, function: name, status, ...options }) as {
      readonly method: M;
      readonly path: P;
      readonly function: F;
      readonly status: S;
    } & O;

/**
 * Returns the functions that build the routes of a Lambda function, one for each method.
 * @param name folder under `functions/`.
 * @example
 * const { get, patch } = routesOf('teams');
 * export const teams = {
 *   'teams.show': get(TEAM, 200),
 *   'teams.update': patch(TEAM, 200, { conditional: true, body: required('team') }),
 * } satisfies Routes;
 */
export const routesOf = <const F extends string>(name: F) => ({
  get: withMethod('GET', name),
  post: withMethod('POST', name),
  put: withMethod('PUT', name),
  patch: withMethod('PATCH', name),
  remove: withMethod('DELETE', name),
});

/** Options of a route with a dry run, whose entity tag it accepts (EDIT-10). */
export const withDryRun = { conditional: true, dryRun: true } as const;

/** A body that a request must have. @param schema its name in `shared/resources/request-bodies.ts`. */
export const required = <const S extends string>(schema: S) => ({ schema, required: true }) as const;
/** A body that a request may have. @param schema its name in `shared/resources/request-bodies.ts`. */
export const optional = <const S extends string>(schema: S) => ({ schema, required: false }) as const;

export const WORKSPACE = `${BASE_PATH}/workspaces/{workspace_id}` as const;
export const ORGANIZATION = `${BASE_PATH}/organizations/{organization_name}` as const;
