import { organizationPermissionNames } from '../../access/organization-policy.ts';
import { executionModes, plans } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toOneLinked, toOneOrNone } from '../../schemas/resource-schema.ts';
import { count, flag, id, nullable, object, oneOf, only, path, text, time } from '../../schemas/schema.ts';

export const organization = resource('Organization', {
  type: 'organizations',
  description: 'An organization as the caller sees it.',
  id: text('Its name.', { examples: ['acme'] }),
  attributes: {
    name: text('It never changes.', { examples: ['acme'] }),
    'external-id': id(prefixes.organization),
    email: text(undefined, { examples: ['ada@example.com'] }),
    'created-at': time(),
    'default-execution-mode': oneOf(executionModes, 'What workspaces use unless their project or they say otherwise.'),
    'allow-force-delete-workspaces': flag('Whether workspace admins may force delete.'),
    'assessments-enforced': only('healthAssessments', flag('Whether health assessments are on in every workspace.')),
    'plan-identifier': only('healthAssessments', oneOf(plans, 'What it has paid for.')),
    'plan-expired': flag(),
    'collaborator-auth-policy': text(undefined, { const: 'password' }),
    'cost-estimation-enabled': flag(),
    'saml-enabled': flag(),
    'two-factor-conformant': flag(),
    'session-timeout': nullable(count()),
    'session-remember': nullable(count()),
    permissions: object(Object.fromEntries(organizationPermissionNames.map((name) => [name, flag()])), {
      description: 'What the caller may do in it.',
    }),
  },
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
  description: 'What an organization may use.',
  id: id(prefixes.organization),
  attributes: {
    'state-storage': flag(),
    teams: flag(),
    'vcs-integrations': flag(),
    agents: flag(),
    operations: flag('False: clients run their operations themselves.'),
    assessments: flag('Whether health assessments can be enabled.'),
    'audit-logging': flag(),
    'cost-estimation': flag(),
    'private-module-registry': flag(),
    'run-tasks': flag(),
    sentinel: flag(),
    sso: flag(),
    'self-serve-billing': flag(),
    'user-limit': nullable(count()),
  },
  links: { self: path(`${BASE_PATH}/organizations/acme/entitlement-set`) },
});
