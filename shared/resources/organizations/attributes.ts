import { organizationPermissionNames } from '../../access/organization-policy.ts';
import { executionModes, plans } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { count, flag, flags, id, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import {
  type AttributeTable,
  type AttributeTableWithSettings,
  mapRequest,
  type RequestAttributes,
  readSettings,
  type SettingsOf,
  setting,
} from '../attribute-table.ts';
import { allowedValueReferences } from '../variables/allowed-references.ts';

/** Builds the schema of a number of minutes. */
function minutes(description: string) {
  return count(description, { minimum: 1, maximum: limits.sessionMinutes });
}

/** The attributes of an organization (ORG-5). */
export const attributes = {
  name: {
    offer: { required: true, immutable: true },
    request: text(undefined, { maxLength: limits.organizationName, minLength: 1, pattern: patterns.pathName }),
    response: text('The name never changes.', { examples: ['acme'] }),
  },
  'external-id': { response: id(prefixes.organization) },
  email: {
    offer: { required: true },
    request: text(undefined, { maxLength: limits.email, pattern: patterns.email, examples: ['ada@example.com'] }),
    response: text(undefined, { examples: ['ada@example.com'] }),
  },
  owner: {
    offer: { immutable: true },
    request: text('Username of the first owner of an organization that is created with a site token.', {
      maxLength: limits.username,
      minLength: 1,
      pattern: patterns.pathName,
    }),
  },
  'created-at': { response: time() },
  'default-execution-mode': {
    request: oneOf(executionModes),
    response: oneOf(
      executionModes,
      'The mode of workspaces that neither have their own nor inherit one from a project.',
    ),
  },
  'default-agent-pool-id': { member: 'defaultAgentPool', request: nullable(text(undefined, { maxLength: limits.id })) },
  'default-deletion-protection': setting({
    setting: 'defaultDeletionProtection',
    schema: flag(
      'Whether workspaces that neither have their own value nor inherit one are protected against deletion.',
    ),
    default: false,
  }),
  'production-tag': setting({
    setting: 'productionTag',
    schema: nullable(
      text(
        'Tag of production: workspaces are production if they or their projects have it. A tag, the key of a tag binding, or a key with a value.',
        { maxLength: limits.filterValue, pattern: patterns.tagCondition, examples: ['environment=production'] },
      ),
    ),
    default: null,
  }),
  'allow-force-delete-workspaces': setting({
    setting: 'allowForceDeleteWorkspaces',
    schema: flag('Whether admins of a workspace may force-delete it.'),
    default: false,
  }),
  'allowed-value-references': allowedValueReferences(
    'Prefixes of the value references that variables of the organization may have.',
  ),
  'speculative-plan-management-enabled': setting({
    setting: 'speculativePlanManagementEnabled',
    schema: flag('Whether a newer commit cancels pending speculative plans of older ones.'),
    default: true,
  }),
  'send-passing-statuses-for-untriggered-speculative-plans': setting({
    setting: 'sendPassingStatusesForUntriggeredSpeculativePlans',
    schema: flag('Whether a commit that triggers no plan gets a passing status.'),
    default: false,
  }),
  'aggregated-commit-status-enabled': setting({
    setting: 'aggregatedCommitStatusEnabled',
    schema: flag('Whether a commit gets one status for all workspaces.'),
    default: true,
  }),
  'user-tokens-enabled': setting({
    setting: 'userTokensEnabled',
    schema: flag('Whether tokens of users are accepted in the organization.'),
    default: true,
  }),
  'sign-in-policy': setting({
    setting: 'signInPolicy',
    schema: oneOf(
      ['any', 'sso'],
      'Whether tokens of users need a recent sign-in at an identity provider (`sso`). Only owners set it.',
    ),
    default: 'any',
  }),
  'max-ttl-enabled': setting({
    setting: 'maxTtlEnabled',
    schema: flag('Whether the limits of the lifetime of tokens are in force for new tokens.'),
    default: false,
  }),
  'enforce-hyok': setting({
    setting: 'enforceHyok',
    schema: flag('Whether workspaces must hold their own key. Stored, without effect.'),
    default: false,
  }),
  'stacks-enabled': setting({
    setting: 'stacksEnabled',
    schema: flag('Whether stacks are enabled. Stored, without effect.'),
    default: false,
  }),
  'owners-team-saml-role-id': setting({
    setting: 'ownersTeamSamlRoleId',
    schema: nullable(
      text('Group at identity providers whose people are owners. Only owners set it.', {
        maxLength: limits.recordName,
      }),
    ),
    default: null,
  }),
  'collaborator-auth-policy': setting({
    setting: 'collaboratorAuthPolicy',
    schema: oneOf(['password', 'two_factor_mandatory'], 'How users must sign in. Stored, without effect.'),
    default: 'password',
  }),
  'cost-estimation-enabled': setting({
    setting: 'costEstimationEnabled',
    schema: flag('Whether the cost of plans is estimated. Stored, without effect.'),
    default: false,
  }),
  'session-timeout': setting({
    setting: 'sessionTimeout',
    schema: nullable(
      minutes('Minutes after which an idle session of a member ends, if that is earlier than in the deployment.'),
    ),
    default: null,
  }),
  'session-remember': setting({
    setting: 'sessionRemember',
    schema: nullable(
      minutes('Minutes after which a session of a member ends, if that is earlier than in the deployment.'),
    ),
    default: null,
  }),
  'assessments-enforced': {
    feature: 'healthAssessments',
    request: nullable(flag()),
    response: flag('Whether health assessments are enabled in every workspace.'),
  },
  'plan-identifier': {
    feature: 'healthAssessments',
    response: oneOf(plans, 'The plan that the organization pays for.'),
  },
  'plan-expired': { response: flag() },
  'is-unified': { response: flag() },
  'remaining-testable-count': { response: count() },
  'trial-expires-at': { response: nullable(time()) },
  'saml-enabled': { response: flag() },
  'two-factor-conformant': { response: flag() },
  permissions: { response: flags(organizationPermissionNames, 'What the caller may do in the organization.') },
} as const satisfies AttributeTableWithSettings;

/** Maps the attributes of an organization in a request to the domain. An omitted attribute is absent from the result. */
export const organizationRequest = (given: RequestAttributes<typeof attributes>) => ({
  ...readSettings(attributes, given),
  ...mapRequest(attributes, given, {}),
});

declare module '../../domain/directory/records.ts' {
  interface OrganizationSettings extends SettingsOf<typeof attributes> {}
}

/** The attributes of the entitlement set of an organization. */
export const entitlementAttributes = {
  'state-storage': { response: flag() },
  teams: { response: flag() },
  'vcs-integrations': { response: flag() },
  agents: { response: flag() },
  operations: { response: flag('False: clients execute their operations themselves.') },
  assessments: { response: flag('Whether health assessments can be enabled.') },
  'audit-logging': { response: flag() },
  'cost-estimation': { response: flag() },
  'private-module-registry': { response: flag() },
  'run-tasks': { response: flag() },
  sentinel: { response: flag() },
  sso: { response: flag() },
  'self-serve-billing': { response: flag() },
  'user-limit': { response: nullable(count()) },
} as const satisfies AttributeTable;
