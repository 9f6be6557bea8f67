import { organizationPermissionNames } from '../../access/organization-policy.ts';
import { executionModes, plans } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { constant, count, flag, flags, id, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import {
  type AttributeTable,
  type AttributeTableWithSettings,
  type RequestAttributes,
  type SettingsOf,
  setting,
} from '../attribute-table.ts';

/** The attributes of an organization (ORG-4). */
export const attributes = {
  name: {
    request: text(undefined, { maxLength: limits.organizationName, minLength: 1, pattern: patterns.pathName }),
    response: text('The name never changes.', { examples: ['acme'] }),
  },
  'external-id': { response: id(prefixes.organization) },
  email: {
    request: text(undefined, { maxLength: limits.email, pattern: patterns.email, examples: ['ada@example.com'] }),
    response: text(undefined, { examples: ['ada@example.com'] }),
  },
  owner: {
    request: text('Username of the first owner of a new organization.', {
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
  'default-agent-pool-id': { request: nullable(text(undefined, { maxLength: limits.id })) },
  'allow-force-delete-workspaces': setting({
    setting: 'allowForceDeleteWorkspaces',
    schema: flag('Whether admins of a workspace may force-delete it.'),
    default: false,
  }),
  'assessments-enforced': {
    feature: 'healthAssessments',
    request: flag(),
    response: flag('Whether health assessments are enabled in every workspace.'),
  },
  'plan-identifier': {
    feature: 'healthAssessments',
    response: oneOf(plans, 'The plan that the organization pays for.'),
  },
  'plan-expired': { response: flag() },
  'collaborator-auth-policy': { response: constant('password') },
  'cost-estimation-enabled': { response: flag() },
  'saml-enabled': { response: flag() },
  'two-factor-conformant': { response: flag() },
  'session-timeout': { response: nullable(count()) },
  'session-remember': { response: nullable(count()) },
  permissions: { response: flags(organizationPermissionNames, 'What the caller may do in the organization.') },
} as const satisfies AttributeTableWithSettings;

/** The attributes of an organization in a request. */
export type OrganizationAttributes = RequestAttributes<typeof attributes>;

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
