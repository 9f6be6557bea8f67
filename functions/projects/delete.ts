import { notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProject } from './find.ts';

/** `DELETE /projects/:project_id` (PROJECT-7) */
export const deleteProject =
  (dependencies: ProjectDependencies): Operation<'projects.delete'> =>
  async ({ contextFor, digest, parameters: { project_id: id } }) => {
    const { caller, record } = await findProject(dependencies, digest, id, 'project.delete');
    const { removal } = dependencies;
    if (!(await removal.beginRecord(contextFor(caller), 'project', record.organization, id))) throw notFound();
    return undefined;
  };
