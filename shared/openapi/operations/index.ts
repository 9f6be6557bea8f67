import { type Route, type RouteId, routeIds, routes } from '../../routes/index.ts';
import type { Group, OperationDescription } from '../operation.ts';
import { bulkJobs } from './bulk-jobs.ts';
import { documentation, service } from './documentation.ts';
import { history } from './history.ts';
import { agentPools, oauth, sshKeyAssignment, sshKeys } from './integrations.ts';
import {
  memberships,
  organizations,
  reservedTagKeys,
  sessions,
  tokens,
  tokenTtlPolicies,
  users,
} from './organizations.ts';
import { projects } from './projects.ts';
import { runs } from './runs.ts';
import { oauth2, signIn, workloadIdentities } from './sign-in.ts';
import { stateVersions } from './state-versions.ts';
import { tags } from './tags.ts';
import { teamProjects, teams, teamWorkspaces } from './teams.ts';
import { variableSets, variables } from './variables.ts';
import { consumers, deletedWorkspaces, recoverableItems, retention, workspaces } from './workspaces.ts';

/** Groups of operations, in the order of the document. */
export const groups = [
  workspaces,
  deletedWorkspaces,
  recoverableItems,
  tags,
  consumers,
  sshKeyAssignment,
  retention,
  variables,
  variableSets,
  stateVersions,
  runs,
  history,
  bulkJobs,
  organizations,
  memberships,
  users,
  sessions,
  projects,
  teams,
  teamProjects,
  teamWorkspaces,
  agentPools,
  sshKeys,
  oauth,
  tokens,
  tokenTtlPolicies,
  workloadIdentities,
  oauth2,
  signIn,
  reservedTagKeys,
  service,
  documentation,
];

/** Returns the operations of a group with the response of the group where they have a body and describe no other. */
const withResponses = (group: Group): Readonly<Record<string, OperationDescription>> =>
  Object.fromEntries(
    Object.entries<OperationDescription>(group.operations).map(([id, operation]) => {
      const { status }: Route = routes[id as RouteId];
      const hasBody = status !== 204 && status !== 307;
      return [id, { ...(hasBody && 'response' in group && { response: group.response }), ...operation }];
    }),
  );

type KeysOf<T> = T extends unknown ? keyof T : never;
const described: Readonly<Record<KeysOf<(typeof groups)[number]['operations']>, OperationDescription>> = Object.assign(
  {},
  ...groups.map(withResponses),
);

/** Operations of all routes. A route without a description is a type error here, which names the route. */
export const operations: Readonly<Record<RouteId, OperationDescription>> = described;

// Without a description the route is also a type error, but types are checked after the document is generated.
const undescribed = routeIds.filter((id) => operations[id] === undefined);
if (undescribed.length > 0)
  throw new Error(`Routes without a description in shared/openapi/operations: ${undescribed.join(', ')}`);
