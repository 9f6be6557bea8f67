import Type from 'typebox';
import { changedResourceTypes } from '../domain/changes/organization-changes.ts';
import { prefixes } from '../domain/ids.ts';
import { retentionPolicyTypes } from '../domain/state-versions/retention-policy.ts';
import { attributes as agentPoolAttributes } from '../resources/agent-pools/attributes.ts';
import { attributes as agentAttributes } from '../resources/agents/attributes.ts';
import { responseProperties } from '../resources/attribute-schemas.ts';
import { newTokenAttributes, attributes as tokenAttributes } from '../resources/authentication-tokens/attributes.ts';
import {
  attributes as bulkJobAttributes,
  itemAttributes as bulkJobItemAttributes,
} from '../resources/bulk-jobs/attributes.ts';
import {
  attributes as configurationVersionAttributes,
  ingressAttributes as ingressAttributeTable,
  readmeAttributes,
} from '../resources/configuration-versions/attributes.ts';
import { attributes as retentionPolicyAttributes } from '../resources/data-retention-policies/attributes.ts';
import { attributes as deletedWorkspaceAttributes } from '../resources/deleted-workspaces/attributes.ts';
import { dryRunOutcomes } from '../resources/dry-runs/response.ts';
import { attributes as historyEntryAttributes } from '../resources/history-entries/attributes.ts';
import { attributes as identityProviderAttributes } from '../resources/identity-providers/attributes.ts';
import { attributes as linkedIdentityAttributes } from '../resources/linked-identities/attributes.ts';
import {
  attributes as oauthClientAttributes,
  tokenAttributes as oauthTokenAttributes,
} from '../resources/oauth-clients/attributes.ts';
import { attributes as membershipAttributes } from '../resources/organization-memberships/attributes.ts';
import { attributes as statisticsAttributes } from '../resources/organization-statistics/attributes.ts';
import { attributes as tokenTtlPolicyAttributes } from '../resources/organization-token-ttl-policies/attributes.ts';
import { entitlementAttributes, attributes as organizationAttributes } from '../resources/organizations/attributes.ts';
import { attributes as projectAttributes } from '../resources/projects/attributes.ts';
import { attributes as recoverableItemAttributes } from '../resources/recoverable-items/attributes.ts';
import { attributes as reservedTagKeyAttributes } from '../resources/reserved-tag-keys/attributes.ts';
import { applyAttributes, planAttributes, attributes as runAttributes } from '../resources/runs/attributes.ts';
import { attributes as sessionAttributes } from '../resources/sessions/attributes.ts';
import { attributes as sshKeyAttributes } from '../resources/ssh-keys/attributes.ts';
import {
  outputAttributes,
  attributes as stateVersionAttributes,
  workspaceOutputAttributes,
} from '../resources/state-versions/attributes.ts';
import { bindingAttributes, attributes as tagAttributes } from '../resources/tags/attributes.ts';
import { attributes as teamProjectAttributes } from '../resources/team-projects/attributes.ts';
import { attributes as teamWorkspaceAttributes } from '../resources/team-workspaces/attributes.ts';
import { attributes as teamAttributes } from '../resources/teams/attributes.ts';
import { attributes as userAttributes } from '../resources/users/attributes.ts';
import { attributes as variableKeyAttributes } from '../resources/variable-keys/attributes.ts';
import { attributes as variableSetAttributes } from '../resources/variable-sets/attributes.ts';
import { attributes as variableAttributes } from '../resources/variables/attributes.ts';
import { attributes as workloadIdentityAttributes } from '../resources/workload-identities/attributes.ts';
import { attributes as identityTestAttributes } from '../resources/workload-identity-tests/attributes.ts';
import { attributes as workspaceResourceAttributes } from '../resources/workspace-resources/attributes.ts';
import { attributes as workspaceAttributes } from '../resources/workspaces/attributes.ts';
import { BASE_PATH } from '../routes/api.ts';
import {
  linkOnly,
  resource,
  toMany,
  toManyLinked,
  toOne,
  toOneAt,
  toOneLinked,
  toOneOrNone,
  toOneOrNoneAt,
} from '../schemas/resource-schema.ts';
import { anything, flag, id, nullable, object, oneOf, only, optional, path, text } from '../schemas/schema.ts';

/** Schemas of the resources in responses. Their attributes follow from the tables in `shared/resources`. */

export const agentPool = resource('AgentPool', {
  type: 'agent-pools',
  description: 'A pool of agents that execute the runs of workspaces in agent mode.',
  id: id(prefixes.agentPool),
  attributes: responseProperties(agentPoolAttributes),
  relationships: {
    organization: toOne('organizations'),
    agents: linkOnly,
    'authentication-tokens': linkOnly,
    workspaces: toManyLinked('workspaces'),
    'allowed-workspaces': toMany('workspaces'),
    'allowed-projects': toMany('projects'),
    'excluded-workspaces': toMany('workspaces'),
  },
  links: { self: path(`${BASE_PATH}/agent-pools/apool-CvpbqPPtsWSnyrTk`) },
});

export const agent = resource('Agent', {
  type: 'agents',
  description: 'An agent of a pool. No agent connects to this service, so lists of agents are empty.',
  id: id('agent-'),
  attributes: responseProperties(agentAttributes),
  links: { self: path(`${BASE_PATH}/agents/agent-CvpbqPPtsWSnyrTk`) },
});

export const bulkJob = resource('BulkJob', {
  type: 'bulk-jobs',
  description: 'One change of many workspaces.',
  id: id(prefixes.bulkJob),
  attributes: responseProperties(bulkJobAttributes),
  relationships: { organization: toOne('organizations'), 'retry-of': toOneOrNone('bulk-jobs') },
  links: { self: path(`${BASE_PATH}/bulk-jobs/bulk-CvpbqPPtsWSnyrTk`) },
});

export const bulkJobItem = resource('BulkJobItem', {
  type: 'bulk-job-items',
  description: 'A workspace of a bulk job.',
  id: text('Id of the job and position of the item.', { examples: ['bulk-CvpbqPPtsWSnyrTk-0'] }),
  attributes: responseProperties(bulkJobItemAttributes),
  relationships: { workspace: toOne('workspaces') },
});

export const workloadIdentity = resource('WorkloadIdentity', {
  type: 'workload-identities',
  description: 'A rule by which a pipeline gets a token that acts as a team.',
  id: id(prefixes.workloadIdentity),
  attributes: responseProperties(workloadIdentityAttributes),
  relationships: {
    organization: toOne('organizations'),
    team: toOne('teams'),
    projects: optional(toMany('projects')),
    workspaces: optional(toMany('workspaces')),
  },
  links: { self: path(`${BASE_PATH}/workload-identities/wi-CvpbqPPtsWSnyrTk`) },
});

export const workloadIdentityTest = resource('WorkloadIdentityTest', {
  type: 'workload-identity-tests',
  description: 'The result of the checks of an identity token.',
  id: id(prefixes.workloadIdentity),
  attributes: responseProperties(identityTestAttributes),
});

export const identityProvider = resource('IdentityProvider', {
  type: 'identity-providers',
  description: 'An identity provider of the deployment, at which people sign in to the console.',
  id: text('The name.', { examples: ['keycloak'] }),
  attributes: responseProperties(identityProviderAttributes),
});

export const session = resource('Session', {
  type: 'sessions',
  description: 'A sign-in of a person at an identity provider, in one browser.',
  id: id(prefixes.session),
  attributes: responseProperties(sessionAttributes),
  relationships: { user: toOne('users') },
});

export const linkedIdentity = resource('LinkedIdentity', {
  type: 'linked-identities',
  description: 'An identity at an identity provider with which a user signs in.',
  id: id(prefixes.linkedIdentity),
  attributes: responseProperties(linkedIdentityAttributes),
  relationships: { user: toOne('users') },
});

const whole = {
  type: 'authentication-tokens',
  id: id(prefixes.token),
  relationships: {
    'created-by': toOneOrNone('users', 'teams', 'organizations'),
    team: optional(toOne('teams')),
  },
};

export const token = resource('AuthenticationToken', {
  ...whole,
  description: 'A token. Only the response that creates it contains the token itself.',
  attributes: responseProperties(tokenAttributes),
});

export const newToken = resource('NewAuthenticationToken', {
  ...whole,
  description: 'A new token.',
  attributes: responseProperties(newTokenAttributes),
});

const VERSION = `${BASE_PATH}/configuration-versions/cv-CvpbqPPtsWSnyrTk`;

export const configurationVersion = resource('ConfigurationVersion', {
  type: 'configuration-versions',
  description: 'The configuration that a run uses, as its runner reported it.',
  id: id(prefixes.configurationVersion),
  attributes: responseProperties(configurationVersionAttributes),
  relationships: { workspace: toOne('workspaces'), 'ingress-attributes': toOneLinked('ingress-attributes') },
  links: { self: path(VERSION) },
});

export const ingressAttributes = resource('IngressAttributes', {
  type: 'ingress-attributes',
  description: 'The commit that a configuration version was created from.',
  id: id(prefixes.ingressAttributes),
  attributes: responseProperties(ingressAttributeTable),
  links: { self: path(`${VERSION}/ingress-attributes`) },
});

export const readme = resource('WorkspaceReadme', {
  type: 'workspace-readme',
  description: 'The README.md of a configuration version, up to 256 KB.',
  id: id(prefixes.configurationVersion),
  attributes: responseProperties(readmeAttributes),
});

const shared = {
  id: id(prefixes.retentionPolicy),
  relationships: { target: toOne('workspaces', 'organizations') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/relationships/data-retention-policy`) },
};
/** The types of data retention policies (RET-4). */
export const retentionPolicies = [
  resource('DataRetentionPolicyDeleteOlder', {
    type: 'data-retention-policy-delete-olders',
    description: 'State versions are deleted after a number of days.',
    attributes: responseProperties(retentionPolicyAttributes),
    ...shared,
  }),
  resource('DataRetentionPolicyDontDelete', {
    type: 'data-retention-policy-dont-deletes',
    description: 'State versions are never deleted.',
    attributes: {},
    ...shared,
  }),
  resource('DataRetentionPolicy', {
    type: 'data-retention-policies',
    description: 'State versions are deleted after a number of days. An older type, returned where it was set.',
    attributes: responseProperties(retentionPolicyAttributes),
    ...shared,
  }),
] as const;

export const deletedWorkspace = resource('DeletedWorkspace', {
  type: 'deleted-workspaces',
  description: 'A deleted workspace that can be restored. The project may have been deleted as well.',
  id: id(prefixes.workspace),
  attributes: responseProperties(deletedWorkspaceAttributes),
  relationships: { organization: toOne('organizations'), project: toOne('projects') },
  links: { self: path(`${BASE_PATH}/deleted-workspaces/ws-2jPTvTDXBPFzPGbT`) },
});

export const recoverableItem = resource('RecoverableItem', {
  type: 'recoverable-items',
  description: 'A deleted workspace that can be restored, in the form of HCP Terraform.',
  id: id(prefixes.workspace, 'That of the workspace.'),
  attributes: responseProperties(recoverableItemAttributes),
  relationships: { project: toOne('projects'), recoverable: toOne('workspaces') },
});

export const dryRun = resource('DryRun', {
  type: 'dry-runs',
  description: 'The effect that a request would have. Nothing was changed.',
  id: text('Id of the request.'),
  attributes: {
    outcome: oneOf(dryRunOutcomes, 'What the request would do.'),
    changes: Type.Unsafe({
      type: 'object',
      description: 'Attributes and relationships that would change, by name.',
      patternProperties: {
        '^[a-z][a-z-]*$': object({ old: anything('Present value.'), new: anything('Value after the change.') }),
      },
      additionalProperties: false,
    }),
    refusal: nullable(
      object(
        {
          status: text('HTTP status that the request would have.', { examples: ['409'] }),
          title: text(),
          detail: optional(text('Explanation for people.')),
          source: optional(object({ pointer: optional(text()), parameter: optional(text()) })),
          meta: optional(anything('Facts about a conflict, such as the lock and its holder.')),
        },
        { description: 'Error that the request would be rejected with.' },
      ),
    ),
  },
});

export const historyEntry = resource('HistoryEntry', {
  type: 'history-entries',
  description: 'One change of a resource.',
  id: id(prefixes.event),
  attributes: responseProperties(historyEntryAttributes),
  relationships: { resource: toOne('workspaces', 'varsets', ...changedResourceTypes) },
});

export const oauthClient = resource('OauthClient', {
  type: 'oauth-clients',
  description: 'A connection to a VCS provider.',
  id: id(prefixes.vcsClient),
  attributes: responseProperties(oauthClientAttributes),
  relationships: {
    organization: toOne('organizations'),
    'oauth-tokens': toManyLinked('oauth-tokens'),
    projects: toMany('projects'),
  },
  links: { self: path(`${BASE_PATH}/oauth-clients/oc-CvpbqPPtsWSnyrTk`) },
});

export const oauthToken = resource('OauthToken', {
  type: 'oauth-tokens',
  description:
    'The token of a VCS connection, by which workspaces refer to the connection. Responses never contain the token itself.',
  id: id(prefixes.vcsConnection),
  attributes: responseProperties(oauthTokenAttributes),
  relationships: { 'oauth-client': toOneLinked('oauth-clients') },
  links: { self: path(`${BASE_PATH}/oauth-tokens/ot-CvpbqPPtsWSnyrTk`) },
});

export const membership = resource('OrganizationMembership', {
  type: 'organization-memberships',
  description: 'The membership of a user in an organization.',
  id: id(prefixes.membership),
  attributes: responseProperties(membershipAttributes),
  relationships: {
    organization: toOne('organizations'),
    user: toOneLinked('users'),
    teams: toMany('teams'),
  },
  links: { self: path(`${BASE_PATH}/organization-memberships/ou-CvpbqPPtsWSnyrTk`) },
});

export const organization = resource('Organization', {
  type: 'organizations',
  description: 'An organization as the caller sees it.',
  id: text('Its name.', { examples: ['acme'] }),
  attributes: responseProperties(organizationAttributes),
  relationships: {
    'default-project': toOneLinked('projects'),
    'default-agent-pool': toOneLinked('agent-pools'),
    'entitlement-set': linkOnly,
    'authentication-token': linkOnly,
    'oauth-tokens': linkOnly,
    subscription: toOneOrNone('subscriptions'),
    'data-retention-policy': only('retentionPolicies', toOneLinked(...retentionPolicyTypes)),
  },
  links: { self: path(`${BASE_PATH}/organizations/acme`) },
});

export const entitlementSet = resource('EntitlementSet', {
  type: 'entitlement-sets',
  description: 'The features that an organization may use.',
  id: id(prefixes.organization),
  attributes: responseProperties(entitlementAttributes),
  links: { self: path(`${BASE_PATH}/organizations/acme/entitlement-set`) },
});

export const organizationStatistics = resource('OrganizationStatistics', {
  type: 'organization-statistics',
  description: 'Numbers of the workspaces of an organization that the caller may read.',
  id: text('Name of the organization.', { examples: ['acme'] }),
  attributes: responseProperties(statisticsAttributes),
  links: { self: path(`${BASE_PATH}/organizations/acme/statistics`) },
});

export const project = resource('Project', {
  type: 'projects',
  description: 'A group of workspaces, which inherit from it.',
  id: id(prefixes.project),
  attributes: responseProperties(projectAttributes),
  relationships: {
    organization: toOne('organizations'),
    'default-agent-pool': toOneLinked('agent-pools'),
    'tag-bindings': linkOnly,
    'effective-tag-bindings': toManyLinked('effective-tag-bindings'),
  },
  links: { self: path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`) },
});

export const reservedTagKey = resource('ReservedTagKey', {
  type: 'reserved-tag-keys',
  description: 'A tag key whose use the organization governs.',
  id: id(prefixes.reservedTagKey),
  attributes: responseProperties(reservedTagKeyAttributes),
});

export const tokenTtlPolicy = resource('TokenTtlPolicy', {
  type: 'organization-token-ttl-policies',
  description: 'A limit of the lifetime of the tokens of one type.',
  id: id(prefixes.tokenTtlPolicy),
  attributes: responseProperties(tokenTtlPolicyAttributes),
});

const RUN = `${BASE_PATH}/runs/run-CvpbqPPtsWSnyrTk`;

export const run = resource('Run', {
  type: 'runs',
  description: 'A run, as its runner reported it. The runner starts, confirms and cancels it.',
  id: id(prefixes.run),
  attributes: responseProperties(runAttributes),
  relationships: {
    workspace: toOne('workspaces'),
    plan: toOne('plans'),
    apply: toOne('applies'),
    'configuration-version': toOneLinked('configuration-versions'),
  },
  links: { self: path(RUN) },
});

export const plan = resource('Plan', {
  type: 'plans',
  description: 'The first phase of a run.',
  id: id(prefixes.plan),
  attributes: responseProperties(planAttributes),
});

export const apply = resource('Apply', {
  type: 'applies',
  description: 'The second phase of a run.',
  id: id(prefixes.apply),
  attributes: responseProperties(applyAttributes),
});

export const sshKey = resource('SshKey', {
  type: 'ssh-keys',
  description: 'A key for fetching modules. Responses never contain the private key.',
  id: id(prefixes.sshKey),
  attributes: responseProperties(sshKeyAttributes),
  links: { self: path(`${BASE_PATH}/ssh-keys/sshkey-CvpbqPPtsWSnyrTk`) },
});

export const stateVersion = resource('StateVersion', {
  type: 'state-versions',
  description: 'A version of the state of a workspace.',
  id: id(prefixes.stateVersion),
  attributes: responseProperties(stateVersionAttributes),
  relationships: {
    workspace: toOneLinked('workspaces'),
    run: toOneLinked('runs'),
    'rollback-state-version': toOneLinked('state-versions'),
    'created-by': toOneLinked('users', 'teams', 'runs'),
    outputs: toManyLinked('state-version-outputs'),
  },
  links: { self: path(`${BASE_PATH}/state-versions/sv-CvpbqPPtsWSnyrTk`) },
});

export const stateOutput = resource('StateVersionOutput', {
  type: 'state-version-outputs',
  description: 'An output of a state.',
  id: id(prefixes.stateOutput),
  attributes: responseProperties(outputAttributes),
  relationships: { configurable: toOne('state-versions') },
  links: { self: path(`${BASE_PATH}/state-version-outputs/wsout-CvpbqPPtsWSnyrTk`) },
});

export const workspaceResource = resource('WorkspaceResource', {
  type: 'resources',
  description: 'An instance of a managed resource in the current state of a workspace.',
  id: id(prefixes.stateResource, 'Computed from the workspace and the address.'),
  attributes: responseProperties(workspaceResourceAttributes),
});

export const workspaceOutput = resource('WorkspaceOutput', {
  type: 'workspace-outputs',
  description: 'An output of the current state of a workspace.',
  id: id(prefixes.stateOutput),
  attributes: responseProperties(workspaceOutputAttributes),
});

/** A flat tag (TAG-10). */
export const tag = resource('Tag', {
  type: 'tags',
  description: 'A name that groups workspaces. It exists as long as a workspace has it.',
  id: id(prefixes.tag, 'Computed from the organization and the name.'),
  attributes: responseProperties(tagAttributes),
  relationships: { organization: toOne('organizations') },
});

/** A binding of a workspace or a project (TAG-17). */
export const tagBinding = resource('TagBinding', {
  type: 'tag-bindings',
  description: 'A key with a value, or a flat tag, of one workspace or project.',
  id: id(prefixes.tagBinding),
  attributes: responseProperties(bindingAttributes),
  links: { target: path() },
});

export const effectiveTagBinding = resource('EffectiveTagBinding', {
  type: 'effective-tag-bindings',
  description:
    "An effective binding of a workspace: its own, or, with `links` and `relationships`, its project's under a key that the workspace does not have.",
  id: id(''),
  attributes: responseProperties(bindingAttributes),
  optionalMembers: {
    relationships: { 'inherited-from': toOne('projects') },
    links: { 'inherited-from': path(`${BASE_PATH}/projects/prj-CvpbqPPtsWSnyrTk`) },
  },
});

export const teamProject = resource('TeamProject', {
  type: 'team-projects',
  description: 'The access of a team to one project and to the workspaces in it.',
  id: id(prefixes.projectAccess),
  attributes: responseProperties(teamProjectAttributes),
  relationships: { team: toOneAt('teams'), project: toOneAt('projects') },
  links: { self: path(`${BASE_PATH}/team-projects/tprj-CvpbqPPtsWSnyrTk`) },
});

export const teamWorkspace = resource('TeamWorkspace', {
  type: 'team-workspaces',
  description: 'The access of a team to one workspace.',
  id: id(prefixes.workspaceAccess),
  attributes: responseProperties(teamWorkspaceAttributes),
  relationships: { team: toOneAt('teams'), workspace: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/team-workspaces/tws-CvpbqPPtsWSnyrTk`) },
});

export const team = resource('Team', {
  type: 'teams',
  description: 'A group of users with the same access. If it is included with a workspace, it has no members.',
  id: id(prefixes.team),
  attributes: responseProperties(teamAttributes),
  relationships: {
    organization: toOne('organizations'),
    users: optional(toMany('users')),
    'organization-memberships': optional(toMany('organization-memberships')),
    'authentication-token': linkOnly,
  },
  links: { self: path(`${BASE_PATH}/teams/team-CvpbqPPtsWSnyrTk`) },
});

export const user = resource('User', {
  type: 'users',
  description: 'A user. Only the account of the caller has all attributes.',
  id: id(prefixes.user),
  attributes: responseProperties(userAttributes),
  relationships: { 'authentication-tokens': linkOnly },
  links: { self: path(`${BASE_PATH}/users/user-CvpbqPPtsWSnyrTk`) },
});

export const variableSet = resource('VariableSet', {
  type: 'varsets',
  description: 'Variables that several workspaces use.',
  id: id(prefixes.variableSet),
  attributes: responseProperties(variableSetAttributes),
  relationships: {
    organization: toOne('organizations'),
    parent: toOne('organizations', 'projects'),
    workspaces: toMany('workspaces'),
    projects: toMany('projects'),
    vars: toMany('vars'),
  },
  links: { self: path(`${BASE_PATH}/varsets/varset-CvpbqPPtsWSnyrTk`) },
});

export const variable = resource('Variable', {
  type: 'vars',
  description: 'A variable of a workspace.',
  id: id(prefixes.variable),
  attributes: responseProperties(variableAttributes),
  relationships: { configurable: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/vars/var-CvpbqPPtsWSnyrTk`) },
});

export const setVariable = resource('VariableSetVariable', {
  type: 'vars',
  description: 'A variable of a variable set.',
  id: id(prefixes.variable),
  attributes: responseProperties(variableAttributes),
  relationships: { varset: toOneAt('varsets') },
  links: { self: path(`${BASE_PATH}/varsets/varset-CvpbqPPtsWSnyrTk/relationships/vars/var-CvpbqPPtsWSnyrTk`) },
});

export const variableKey = resource('VariableKey', {
  type: 'variable-keys',
  description:
    'A variable that is found by its key, with the workspace or the variable set that has it, and without its value.',
  id: id(prefixes.variable, 'Id of the variable.'),
  attributes: responseProperties(variableKeyAttributes),
  relationships: { workspace: toOneOrNone('workspaces'), varset: toOneOrNone('varsets') },
});

export const variableVerification = resource('VariableVerification', {
  type: 'variable-verifications',
  description: 'The result of comparing a value with that of a variable.',
  id: id(prefixes.variable, 'Id of the variable.'),
  attributes: { matches: flag('Whether the value is that of the variable.') },
});

/** The complete record of a workspace (WS-6). */
export const workspace = resource('Workspace', {
  type: 'workspaces',
  description: 'A workspace as the caller sees it: running infrastructure, its settings, and who holds its lock.',
  id: id(prefixes.workspace),
  attributes: responseProperties(workspaceAttributes),
  relationships: {
    organization: toOne('organizations'),
    project: toOne('projects'),
    'agent-pool': toOneOrNone('agent-pools'),
    'ssh-key': toOneLinked('ssh-keys'),
    'locked-by': toOneLinked('users', 'teams', 'runs'),
    'current-run': toOneLinked('runs'),
    'latest-run': toOneLinked('runs'),
    'current-configuration-version': toOneLinked('configuration-versions'),
    'current-assessment-result': toOneOrNone('assessment-results'),
    'current-state-version': toOneOrNoneAt('state-versions'),
    readme: toOneOrNone('workspace-readme'),
    outputs: toManyLinked('workspace-outputs'),
    vars: toManyLinked('vars'),
    'remote-state-consumers': linkOnly,
    'tag-bindings': linkOnly,
    'effective-tag-bindings': toManyLinked('effective-tag-bindings'),
    'data-retention-policy': only('retentionPolicies', toOneLinked(...retentionPolicyTypes)),
  },
  links: {
    self: path(`${BASE_PATH}/organizations/acme/workspaces/network`),
    'self-html': path('/app/acme/workspaces/network'),
  },
});
