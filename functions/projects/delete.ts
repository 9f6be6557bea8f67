import { notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { findProject } from './find.ts';
import type { ProjectServices } from './services.ts';

/** `DELETE /projects/:project_id` (PROJECT-7) */
export const deleteProject =
  (services: ProjectServices): Operation<'projects.delete'> =>
  async ({ id: request, digest, parameters: { project_id: id } }) => {
    const { caller, record } = await findProject(services, digest, id, 'project.delete');
    const removal = services.removalFor({ id: request, principal: caller.principal });
    if (!(await removal.beginRecord('project', record.organization, id))) throw notFound();
    return undefined;
  };
