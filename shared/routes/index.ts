import { BASE_PATH } from './api.ts';
import { bulkJobs } from './bulk-jobs.ts';
import { documentation } from './documentation.ts';
import { history } from './history.ts';
import { agentPools, oauth, sshKeys } from './integrations.ts';
import {
  memberships,
  organizations,
  reservedTagKeys,
  sessions,
  tokens,
  tokenTtlPolicies,
  users,
  workloadIdentities,
} from './organizations.ts';
import { projects } from './projects.ts';
import { type Route, routesOf } from './route.ts';
import { runs } from './runs.ts';
import { identityTests, oauth2, signIn } from './sign-in.ts';
import { stateVersions } from './state-versions.ts';
import { tags } from './tags.ts';
import { teamProjects, teams, teamWorkspaces } from './teams.ts';
import { variableSets, variables } from './variables.ts';
import { consumers, deletedWorkspaces, recoverableItems, retention, sshKey, workspaces } from './workspaces.ts';

export { type Route, routeKey } from './route.ts';

/**
 * The one list of HTTP routes (HTTP-1). Everything that knows about routes derives from it: API Gateway's routes, the
 * dispatch of each function, the 405 responses, the tests. Pure data, so that the infrastructure can read it too.
 */
export const routes = {
  ping: routesOf('fallback').get(`${BASE_PATH}/ping`, 204, { authenticated: false }),
  ...workspaces,
  ...deletedWorkspaces,
  ...recoverableItems,
  ...tags,
  ...consumers,
  ...sshKey,
  ...retention,
  ...variables,
  ...variableSets,
  ...stateVersions,
  ...runs,
  ...history,
  ...bulkJobs,
  ...organizations,
  ...memberships,
  ...users,
  ...sessions,
  ...teams,
  ...projects,
  ...teamProjects,
  ...teamWorkspaces,
  ...agentPools,
  ...sshKeys,
  ...oauth,
  ...tokens,
  ...tokenTtlPolicies,
  ...workloadIdentities,
  ...identityTests,
  ...oauth2,
  ...signIn,
  ...reservedTagKeys,
  ...documentation,
} satisfies Record<string, Route>;

type Routes = typeof routes;
export type RouteId = keyof Routes;
/** The routes that one function serves. */
export type RouteIdOf<F extends string> = { [R in RouteId]: Routes[R]['function'] extends F ? R : never }[RouteId];

type ParameterNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
/** Path parameters of a route, by name. */
export type PathParameters<R extends RouteId> = { readonly [N in ParameterNames<Routes[R]['path']>]: string };

export const routeIds = Object.keys(routes) as RouteId[];

const pattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{([^}]+)\}/g, '(?<$1>[^/]+)')}$`);

/** The route of a method and a concrete path, with the parameters as they stand in it; where two fit, the plainer one. */
export const findRoute = (
  method: string,
  path: string,
): { readonly id: RouteId; readonly parameters: Readonly<Record<string, string>> } | undefined => {
  const found = routeIds.flatMap((id) => {
    const groups = routes[id].method === method ? pattern(routes[id].path).exec(path) : null;
    return groups === null ? [] : [{ id, parameters: { ...groups.groups } }];
  });
  const count = ({ parameters }: { parameters: object }): number => Object.keys(parameters).length;
  return found.sort((a, b) => count(a) - count(b))[0];
};

/** The methods of a concrete path, for 405 and its `Allow` header; empty for an unknown path. */
export const methodsOf = (path: string): Route['method'][] => [
  ...new Set(routeIds.filter((id) => pattern(routes[id].path).test(path)).map((id) => routes[id].method)),
];
