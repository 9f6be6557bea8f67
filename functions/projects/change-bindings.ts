import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { addBindings, type Binding, replaceBindings, type Tags } from '../../shared/domain/tags/tag.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { projectBindingsOf } from './change.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProject } from './find.ts';
import { bindingsDocument } from './list-bindings.ts';

type BindingsRequest = Pick<
  OperationRequest<'projects.add-bindings' | 'projects.replace-bindings'>,
  'contextFor' | 'digest' | 'parameters' | 'body' | 'query' | 'url'
>;

/** Changes the tag bindings of a project and returns all of them (PROJECT-6). */
const changeBindings =
  (change: (tags: Tags, bindings: readonly Binding[], at: number) => Tags) =>
  (dependencies: ProjectDependencies) =>
  async ({
    contextFor,
    digest,
    parameters: { project_id: id },
    body,
    query,
    url,
  }: BindingsRequest): Promise<Document> => {
    const given = projectBindingsOf(body.data, '/data');
    const { caller, organization, record } = await findProject(dependencies, digest, id, 'project.update');
    const project = await concealNotFound(
      dependencies.directory.projects.update(contextFor(caller), record.organization, id, {
        bindings: (before, at) => change(before, given, at),
      }),
    );
    return bindingsDocument(organization, project, { query, url });
  };

/** `PATCH /projects/:project_id/tag-bindings`: adds bindings and replaces values of existing keys. */
export const addProjectBindings = changeBindings(addBindings);

/** `PATCH /projects/:project_id/relationships/tag-bindings`: replaces all bindings; an empty list removes them. */
export const replaceProjectBindings = changeBindings(replaceBindings);
