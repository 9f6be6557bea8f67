import type { Operation } from '../../../shared/http/operation.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import type { TeamServices } from '../services.ts';
import { findProjectAccess } from './find.ts';

/** `GET /team-projects/:team_project_id` */
export const showProjectAccess =
  (services: TeamServices): Operation<'team-projects.show'> =>
  async ({ digest, parameters }) => {
    const { record, team } = await findProjectAccess(services, digest, parameters.team_project_id, 'project.read');
    return { data: teamProjectResource(record, team) };
  };
