import type { Operation } from '../../shared/http/operation.ts';
import type { ProjectDependencies } from './dependencies.ts';
import { findProjectAndRefresh } from './find.ts';
import { presentProject } from './present.ts';

/** `GET /projects/:project_id` */
export const showProject =
  (dependencies: ProjectDependencies): Operation<'projects.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await findProjectAndRefresh(dependencies, digest, parameters.project_id, 'project.read');
    return presentProject(dependencies, access, access.record, include);
  };
