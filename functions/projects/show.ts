import type { Operation } from '../../shared/http/operation.ts';
import { findProjectAndRefresh } from './find.ts';
import { presentProject } from './present.ts';
import type { ProjectServices } from './services.ts';

/** `GET /projects/:project_id` */
export const showProject =
  (services: ProjectServices): Operation<'projects.show'> =>
  async ({ digest, parameters }) => {
    const access = await findProjectAndRefresh(services, digest, parameters.project_id, 'project.read');
    return presentProject(services, access, access.record);
  };
