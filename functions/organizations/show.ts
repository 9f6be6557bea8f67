import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { organizationDocument } from '../../shared/resources/organizations/response.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** `GET /organizations/:organization_name`; the default project is included for callers who may read it (HTTP-29). */
export const showOrganization =
  ({ store, features }: OrganizationDependencies): Operation<'organizations.show'> =>
  async ({ digest, parameters, include }) => {
    const target = { organization: parameters.organization_name, ...(include.size > 0 && { project: null }) };
    const { caller, organization, project } = await authorizeOrganization(store, digest, target);
    const document = organizationDocument({ organization, caller, features });
    if (project === undefined) return document;
    const rights = effectiveRights(caller, organization, project);
    return { ...document, included: canRead(rights) ? [projectResource({ project, organization, rights })] : [] };
  };
