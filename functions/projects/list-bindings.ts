import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import type { Operation, OperationRequest } from '../../shared/http/operation.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { bindingResource, effectiveProjectBindings } from '../../shared/resources/tags/response.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProject } from './find.ts';

type ListRequest = Pick<OperationRequest<'projects.list-bindings'>, 'query' | 'url'>;

const listDocument = (resources: readonly Resource[], { query, url }: ListRequest): Document => {
  const page = readPageOf(resources, query);
  return { data: slice(resources, page), ...paginate(page, resources.length, url, query) };
};

/** Builds the document with all tag bindings of a project. */
export const bindingsDocument = (
  organization: OrganizationAccess['organization'],
  { id, bindings }: Project,
  request: ListRequest,
): Document =>
  listDocument(
    bindings.map((tag) => bindingResource(organization, { type: 'projects', id }, tag)),
    request,
  );

/** `GET /projects/:project_id/tag-bindings` (PROJECT-6) */
export const listProjectBindings =
  (dependencies: ProjectDependencies): Operation<'projects.list-bindings'> =>
  async ({ digest, parameters, query, url }) => {
    const { organization, record } = await findProject(dependencies, digest, parameters.project_id, 'project.read');
    return bindingsDocument(organization, record, { query, url });
  };

/** `GET /projects/:project_id/effective-tag-bindings`: the bindings of the project; it inherits none (PROJECT-8). */
export const listEffectiveProjectBindings =
  (dependencies: ProjectDependencies): Operation<'projects.list-effective-bindings'> =>
  async ({ digest, parameters, query, url }) => {
    const { organization, record } = await findProject(dependencies, digest, parameters.project_id, 'project.read');
    return listDocument(effectiveProjectBindings(organization, record), { query, url });
  };
