import type { Operation } from '../../../shared/http/operation.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findProjectAccess, includedWithAccess } from './find.ts';

/** `GET /team-projects/:team_project_id` */
export const showProjectAccess =
  (dependencies: TeamDependencies): Operation<'team-projects.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await findProjectAccess(dependencies, digest, parameters.team_project_id, 'project.read');
    const { record, team } = access;
    const included = await includedWithAccess(dependencies, access, [team], include);
    return { data: teamProjectResource(record, team), ...included };
  };
