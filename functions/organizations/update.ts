import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { startEarly } from '../../shared/lib/start-early.ts';
import {
  checkDefaultAgentPool,
  defaultAgentPoolReference,
  readDefaultAgentPool,
} from '../../shared/resources/agent-pools/default-agent-pool.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import { checkAssessments, settingsOf } from './attributes.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `PATCH /organizations/:organization_name`: settings (ORG-5). The name is part of many keys and cannot be changed. */
export const updateOrganization =
  ({ store, directory, features }: OrganizationDependencies): Operation<'organizations.update'> =>
  async ({ digest, parameters: { organization_name: name }, body: { data } }) => {
    const { attributes = {}, relationships } = data;
    const requestedPool = readDefaultAgentPool(
      attributes['default-agent-pool-id'],
      relationships?.['default-agent-pool'],
    );
    const references = startEarly(store.findReferences(defaultAgentPoolReference(requestedPool)));
    const access = await authorizeOrganization(store, digest, { organization: name }, (context) =>
      requireOrganizationPermission(context, 'organization.update'),
    );
    requireSameId(data.id, name);
    if (attributes.name !== undefined && attributes.name !== name) throw invalid('name', 'Name cannot be changed');
    checkAssessments(attributes['assessments-enforced'], features, access.organization);
    const organization = await concealNotFound(
      directory.updateOrganization(name, {
        ...settingsOf(attributes),
        ...checkDefaultAgentPool(requestedPool, (await references).agentPool, name),
      }),
    );
    return organizationDocument({ organization, caller: access.caller, features });
  };
