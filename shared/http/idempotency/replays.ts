import type { IdKind } from '../../domain/ids.ts';
import type { RouteId, RouteIdOf, routes } from '../../routes/index.ts';

/** Response to a repeated request whose first response had a document (HTTP-39). */
export interface Replay {
  /**
   * Operation that shows the present record: a route of the same function, or an entry of its own among the operations. Its path
   * parameters are the path parameters of the request, and the id.
   */
  readonly show: string;
  /** Path parameter of that operation that takes the id of the resource in the first response. */
  readonly parameter?: string;
  /**
   * Kind of the record that the request creates in a single write, under an id that is derived from the request: if the first
   * attempt has crashed, the record shows whether it was executed. Operations with several writes recognize them themselves.
   */
  readonly creates?: IdKind;
  /** Related resources that the first response includes. */
  readonly include?: readonly string[];
  /** Attribute with a secret that only the first response shows. A repeated request is then 409 (HTTP-40). */
  readonly secret?: string;
}

type Routes = typeof routes;

/** Routes that change something, and respond with a document. */
export type ReplayedRoute = {
  [R in RouteId]: Routes[R]['method'] extends 'GET' ? never : Routes[R]['status'] extends 204 ? never : R;
}[RouteId];

const workspace = { show: 'workspaces.show', parameter: 'workspace_id' } as const;
const deprecatedVariable = { show: 'variables.show', parameter: 'variable_id' } as const;
const variable = { show: 'workspace-variables.show', parameter: 'variable_id' } as const;
const variableOfSet = { show: 'varset-variables.show', parameter: 'variable_id' } as const;
const variableSet = { show: 'varsets.show', parameter: 'varset_id' } as const;
const stateVersion = { show: 'state-versions.show', parameter: 'state_version_id' } as const;
const policy = { show: 'retention-policies.show' } as const;
const defaultPolicy = { show: 'default-retention-policies.show' } as const;
const projectBindings = { show: 'projects.list-bindings' } as const;
const reservedTagKey = { show: 'reserved-tag-keys.show', parameter: 'reserved_tag_key_id' } as const;
const token = { show: 'tokens.show', parameter: 'token_id', creates: 'token', secret: 'token' } as const;

/**
 * Responses to repeated requests. A repeated request whose first response had no document has none either. `again`: the key
 * has no effect, because the operation only compares, and its result must reflect the present record, or because its protocol
 * knows no such keys.
 */
export const replays = {
  'workspaces.create': { ...workspace, creates: 'workspace' },
  'workspaces.update': workspace,
  'workspaces.update-by-name': workspace,
  'workspaces.lock': workspace,
  'workspaces.unlock': workspace,
  'workspaces.renew-lock': workspace,
  'workspaces.force-unlock': workspace,
  'deleted-workspaces.restore': workspace,
  'ssh-key.assign': workspace,
  'tag-bindings.add': { show: 'tag-bindings.list' },
  'retention-policies.set': policy,
  'retention-policies.replace': policy,
  'default-retention-policies.set': defaultPolicy,
  'default-retention-policies.replace': defaultPolicy,
  'variables.create': { ...deprecatedVariable, creates: 'variable' },
  'variables.update': deprecatedVariable,
  'workspace-variables.create': { ...variable, creates: 'variable' },
  'workspace-variables.update': variable,
  'workspace-variables.verify': 'again',
  'varsets.create': variableSet,
  'varsets.update': variableSet,
  'varset-variables.create': { ...variableOfSet, creates: 'variable' },
  'varset-variables.update': variableOfSet,
  'varset-variables.verify': 'again',
  'state-versions.create': { ...stateVersion, secret: 'hosted-state-upload-url' },
  'state-versions.roll-back': stateVersion,
  'state-versions.soft-delete': stateVersion,
  'state-versions.restore': stateVersion,
  'state-versions.delete': stateVersion,
  'bulk-jobs.create': { show: 'bulk-jobs.show', parameter: 'bulk_job_id', creates: 'bulkJob' },
  'bulk-jobs.apply': { show: 'bulk-jobs.show' },
  'bulk-jobs.cancel': { show: 'bulk-jobs.show' },
  'bulk-jobs.retry': { show: 'bulk-jobs.show', parameter: 'bulk_job_id', creates: 'bulkJob' },
  'organizations.create': { show: 'organizations.show-created', parameter: 'organization_name' },
  'organizations.update': { show: 'organizations.show' },
  'memberships.create': {
    show: 'memberships.show',
    parameter: 'membership_id',
    creates: 'membership',
    include: ['user'],
  },
  'users.update-account': { show: 'users.account' },
  'teams.create': { show: 'teams.show', parameter: 'team_id', creates: 'team' },
  'teams.update': { show: 'teams.show' },
  'projects.create': { show: 'projects.show', parameter: 'project_id', creates: 'project' },
  'projects.update': { show: 'projects.show' },
  'projects.add-bindings': projectBindings,
  'projects.replace-bindings': projectBindings,
  'team-projects.create': { show: 'team-projects.show', parameter: 'team_project_id' },
  'team-projects.update': { show: 'team-projects.show' },
  'team-workspaces.create': { show: 'team-workspaces.show', parameter: 'team_workspace_id' },
  'team-workspaces.update': { show: 'team-workspaces.show' },
  'agent-pools.create': { show: 'agent-pools.show', parameter: 'agent_pool_id', creates: 'agentPool' },
  'agent-pools.update': { show: 'agent-pools.show' },
  'ssh-keys.create': { show: 'ssh-keys.show', parameter: 'ssh_key_id', creates: 'sshKey' },
  'ssh-keys.update': { show: 'ssh-keys.show' },
  'oauth-clients.create': { show: 'oauth-clients.show', parameter: 'oauth_client_id', creates: 'vcsConnection' },
  'oauth-clients.update': { show: 'oauth-clients.show' },
  'organization-token.create': token,
  'team-token.create': token,
  'team-tokens.create': token,
  'agent-pool-tokens.create': token,
  'user-tokens.create': token,
  'workload-identities.create': {
    show: 'workload-identities.show',
    parameter: 'workload_identity_id',
    creates: 'workloadIdentity',
  },
  'workload-identities.update': { show: 'workload-identities.show' },
  'workload-identities.test': 'again',
  'oauth2.consent': 'again',
  'sign-in.session': 'again',
  'sign-in.link': 'again',
  'sign-in.end': 'again',
  'sign-in.logout': 'again',
  'oauth2.token': 'again',
  'oauth2.device': 'again',
  'oauth2.show-device': 'again',
  'oauth2.decide-device': 'again',
  'oauth2.revoke': 'again',
  'reserved-tag-keys.create': { ...reservedTagKey, creates: 'reservedTagKey' },
  'reserved-tag-keys.update': reservedTagKey,
  'token-ttl-policies.update': { show: 'token-ttl-policies.list' },
} as const satisfies { readonly [R in ReplayedRoute]: Replay | 'again' };

/** Operations that show the records of a function, but are not among its routes. */
export type FurtherShows<F extends string> = Exclude<
  Extract<(typeof replays)[Extract<RouteIdOf<F>, ReplayedRoute>], Replay>['show'],
  RouteIdOf<F>
>;
