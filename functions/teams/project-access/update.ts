import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { ProjectGrant } from '../../../shared/domain/directory/grants.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { requireSameId } from '../../../shared/jsonapi/require-same-id.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findProjectAccess } from './find.ts';
import { projectGrantOf } from './grant.ts';

/** `PATCH /team-projects/:team_project_id`: keeps the parts that the body omits (TEAM-10). */
export const updateProjectAccess =
  (dependencies: TeamDependencies): Operation<'team-projects.update'> =>
  async ({ contextFor, digest, parameters: { team_project_id: id }, body: { data } }) => {
    const { caller, record, team } = await findProjectAccess(dependencies, digest, id, 'project.manage-teams');
    requireSameId(data.id, id);
    const { organization, id: project } = record;
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      if (before === undefined) throw notFound();
      return projectGrantOf(data.attributes ?? {}, before);
    };
    const request = contextFor(caller);
    const access = { team, next, noTeam: notFound, precondition: request.precondition };
    const changed = dependencies.directory.projects.grantAccess(request, organization, project, access);
    return { data: teamProjectResource(await concealNotFound(changed), team) };
  };
