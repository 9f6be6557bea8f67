import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { addBindings } from '../../shared/domain/tags/tag.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { projectBindingsOf } from './change.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProject } from './find.ts';
import { bindingsDocument } from './list-bindings.ts';

/** `PATCH /projects/:project_id/tag-bindings`: adds bindings, replaces values of existing keys, returns all (PROJECT-6). */
export const addProjectBindings =
  (dependencies: ProjectDependencies): Operation<'projects.add-bindings'> =>
  async ({ digest, parameters: { project_id: id }, body, query, url }) => {
    const given = projectBindingsOf(body.data, '/data');
    const { organization, record } = await findProject(dependencies, digest, id, 'project.update');
    const project = await concealNotFound(
      dependencies.projects.updateProject(record.organization, id, {
        bindings: (before, at) => addBindings(before, given, at),
      }),
    );
    return bindingsDocument(organization, project, { query, url });
  };
