import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toOneLinked, toOneOrNone } from '../../schemas/resource-schema.ts';
import { id, only, path, text } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, entitlementAttributes } from './attributes.ts';

export const organization = resource('Organization', {
  type: 'organizations',
  description: 'An organization as the caller sees it.',
  id: text('Its name.', { examples: ['acme'] }),
  attributes: responseProperties(attributes),
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
