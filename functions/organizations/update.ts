import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission, requireReferencesPermission } from '../../shared/access/organization-policy.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import {
  defaultAgentPoolChange,
  pointAtDefaultAgentPool,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { organizationRequest } from '../../shared/resources/organizations/request-mapping.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { readAssessments } from './read-assessments.ts';

/** `PATCH /organizations/:organization_name`: settings (ORG-5). The name is part of many keys and cannot be changed. */
export const updateOrganization =
  ({ store, directory, features }: OrganizationDependencies): Operation<'organizations.update'> =>
  async ({ contextFor, digest, parameters: { organization_name: name }, body: { data } }) => {
    const {
      name: newName,
      owner: _,
      defaultAgentPool,
      assessmentsEnforced,
      ...settings
    } = organizationRequest(data.attributes ?? {});
    const requestedPool = readDefaultAgentPool(defaultAgentPool, data.relationships?.['default-agent-pool']);
    const access = await authorizeOrganization(store, digest, { organization: name }, (context) =>
      requireOrganizationPermission(context, 'organization.update'),
    );
    requireSameId(data.id, name);
    if (newName !== undefined && newName !== name) throw invalid('name', 'Name cannot be changed');
    const permitted = requireReferencesPermission(access, access.organization, settings);
    const change = { ...permitted, ...readAssessments(assessmentsEnforced, features, access.organization) };
    const request = contextFor(access.caller);
    const organization = await pointAtDefaultAgentPool(requestedPool, () =>
      concealNotFound(
        directory.organizations.update(request, name, { ...change, ...defaultAgentPoolChange(requestedPool) }),
      ),
    );
    return organizationDocument({ organization, caller: access.caller, features });
  };
