import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
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

/**
 * Shows an organization in the response to a repeated `POST /organizations` (HTTP-39), also to the site administrator who
 * created it.
 */
export const showCreatedOrganization =
  (dependencies: OrganizationDependencies) =>
  async (request: OperationRequest<'organizations.show'>): Promise<Document> => {
    const { store, features } = dependencies;
    const principal = await authenticate(store, request.digest);
    if (principal.kind !== 'site') return showOrganization(dependencies)(request) as Promise<Document>;
    const organization = await store.organizations.find(request.parameters.organization_name, true);
    if (organization === undefined) throw notFound();
    return organizationDocument({ organization, caller: { principal, teams: [] }, features });
  };
