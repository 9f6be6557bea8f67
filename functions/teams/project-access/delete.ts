import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findProjectAccess } from './find.ts';

/** `DELETE /team-projects/:team_project_id` */
export const deleteProjectAccess =
  (dependencies: TeamDependencies): Operation<'team-projects.delete'> =>
  async ({ contextFor, digest, parameters }) => {
    const { team_project_id: id } = parameters;
    const { caller, record, team } = await findProjectAccess(dependencies, digest, id, 'project.manage-teams');
    const request = contextFor(caller);
    const { projects } = dependencies.directory;
    const { organization, id: project } = record;
    await concealNotFound(projects.revokeAccess(request, organization, project, team, request.precondition));
    return undefined;
  };
