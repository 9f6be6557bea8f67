import { organizationPermissions } from '../../access/organization-policy.ts';
import type { Caller, Organization } from '../../domain/directory/records.ts';
import type { Features } from '../../domain/editions.ts';
import { type Document, REVISED, type Resource, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { type ComputedValues, responseAttributes } from '../attribute-table.ts';
import { retentionRelationship } from '../data-retention-policies/response.ts';
import { attributes, type entitlementAttributes } from './attributes.ts';

/** An organization as one caller sees it. */
export interface OrganizationView {
  readonly organization: Organization;
  readonly caller: Caller;
  readonly features: Features;
}

const pathOf = ({ name }: Pick<Organization, 'name'>): string => `${BASE_PATH}/organizations/${name}`;

/** Builds the resource of an organization (ORG-5). Features that Holdfast does not offer appear as turned off. */
export const organizationResource = ({ organization, caller, features }: OrganizationView): Resource => {
  const self = pathOf(organization);
  const values: ComputedValues<typeof attributes> = {
    name: organization.name,
    'external-id': organization.externalId,
    email: organization.email,
    'created-at': timestamp(organization.createdAt),
    'default-execution-mode': organization.defaultExecutionMode,
    'assessments-enforced': organization.assessmentsEnforced,
    'plan-identifier': organization.plan,
    'plan-expired': false,
    'is-unified': false,
    'remaining-testable-count': 0,
    'trial-expires-at': null,
    'saml-enabled': false,
    'two-factor-conformant': false,
    permissions: organizationPermissions({ caller, organization }),
  };
  return {
    id: organization.name,
    [REVISED]: { id: organization.name, revision: organization.revision },
    type: 'organizations',
    attributes: responseAttributes(attributes, organization, values, features),
    relationships: {
      'default-project': toOneLinked('projects', organization.defaultProject),
      'default-agent-pool': toOneLinked('agent-pools', organization.defaultAgentPool),
      'entitlement-set': { links: { related: `${self}/entitlement-set` } },
      'authentication-token': { links: { related: `${self}/authentication-token` } },
      'oauth-tokens': { links: { related: `${self}/oauth-tokens` } },
      subscription: { data: null },
      ...(features.retentionPolicies && {
        'data-retention-policy': retentionRelationship(organization.retentionPolicy, {
          type: 'organizations',
          id: organization.name,
        }),
      }),
    },
    links: { self },
  };
};

/** Builds the document of an organization. */
export const organizationDocument = (view: OrganizationView): Document => ({ data: organizationResource(view) });

/** Builds the entitlement set of an organization. Clients execute runs themselves, so remote execution is turned off. */
export const entitlementSetDocument = ({
  organization,
  features,
}: Pick<OrganizationView, 'organization' | 'features'>): Document => ({
  data: {
    id: organization.externalId,
    type: 'entitlement-sets',
    attributes: {
      'state-storage': true,
      teams: true,
      'vcs-integrations': true,
      agents: true,
      operations: false,
      assessments: features.healthAssessments && organization.plan === 'plus',
      'audit-logging': false,
      'cost-estimation': false,
      'private-module-registry': false,
      'run-tasks': false,
      sentinel: false,
      sso: false,
      'self-serve-billing': false,
      'user-limit': null,
    } satisfies ComputedValues<typeof entitlementAttributes>,
    links: { self: `${pathOf(organization)}/entitlement-set` },
  },
});
