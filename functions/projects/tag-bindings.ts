import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import type { Project } from '../../shared/domain/directory/records.ts';
import { addBindings, type Binding, replaceBindings, type Tags } from '../../shared/domain/tags/tag.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { bindingResource, effectiveProjectBindings } from '../../shared/resources/tags/response.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProject, projectBindingsOf } from './projects.ts';

type ListRequest = Pick<OperationRequest<'projects.list-bindings'>, 'query' | 'url'>;

/** Builds the document with all tag bindings of a project. */
const bindingsDocument = (
  organization: OrganizationAccess['organization'],
  { id, bindings }: Project,
  request: ListRequest,
): Document => listDocument(bindings, request, (tag) => bindingResource(organization, { type: 'projects', id }, tag));

type BindingsRequest = OperationRequest<'projects.add-bindings' | 'projects.replace-bindings'>;

/** Changes the tag bindings of a project and returns all of them (PROJECT-6). */
const changeBindings =
  (change: (tags: Tags, bindings: readonly Binding[], at: number) => Tags) =>
  async (
    { contextFor, digest, parameters: { project_id: id }, body, query, url }: BindingsRequest,
    dependencies: ProjectDependencies,
  ): Promise<Document> => {
    const given = projectBindingsOf(body.data, '/data');
    const { caller, organization, record } = await findProject(dependencies, digest, id, 'project.update');
    const project = await concealNotFound(
      dependencies.directory.projects.update(contextFor(caller), record.organization, id, {
        bindings: (before, at) => change(before, given, at),
      }),
    );
    return bindingsDocument(organization, project, { query, url });
  };

/** `GET /projects/:project_id/tag-bindings` and `…/relationships/tag-bindings` (PROJECT-6) */
const listBindings = async (
  request: OperationRequest<'projects.list-bindings' | 'projects.list-related-bindings'>,
  dependencies: ProjectDependencies,
): Promise<Document> => {
  const { digest, parameters } = request;
  const { organization, record } = await findProject(dependencies, digest, parameters.project_id, 'project.read');
  return bindingsDocument(organization, record, request);
};

/** `PATCH /projects/:project_id/tag-bindings`: adds bindings and replaces values of existing keys. */
const addToBindings = changeBindings(addBindings);

export const bindingOperations = {
  'projects.list-bindings': listBindings,
  'projects.list-related-bindings': listBindings,

  /** `GET /projects/:project_id/effective-tag-bindings`: the bindings of the project; it inherits none (PROJECT-8). */
  'projects.list-effective-bindings': async ({ digest, parameters, query, url }, dependencies) => {
    const { organization, record } = await findProject(dependencies, digest, parameters.project_id, 'project.read');
    return listDocument(effectiveProjectBindings(organization, record), { query, url }, (resource) => resource);
  },

  'projects.add-bindings': addToBindings,

  /** `POST /projects/:project_id/relationships/tag-bindings`: the same, with an empty response. */
  'projects.add-related-bindings': async (request, dependencies) => {
    await addToBindings(request, dependencies);
    return undefined;
  },

  /** `PATCH /projects/:project_id/relationships/tag-bindings`: replaces all bindings; an empty list removes them. */
  'projects.replace-bindings': changeBindings(replaceBindings),
} satisfies Partial<Operations<'projects', ProjectDependencies>>;
