import { isDeepStrictEqual } from 'node:util';
import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { ProjectGrant } from '../../../shared/domain/directory/grants.ts';
import { invalidRelationship, notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { teamProjectResource } from '../../../shared/resources/team-projects/response.ts';
import { requireTeam } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';
import { findProject } from './find.ts';
import { projectGrantOf } from './grant.ts';

const noTeam = () => notFound('There is no such team.');

/** `POST /team-projects` (TEAM-11) */
export const createProjectAccess =
  (dependencies: TeamDependencies): Operation<'team-projects.create'> =>
  async ({ contextFor, digest, body: { data } }) => {
    const { relationships } = data;
    const grant = projectGrantOf(data.attributes);
    const access = await findProject(dependencies, digest, relationships.project.data.id, 'project.manage-teams');
    const team = relationships.team.data.id;
    await requireTeam(access, dependencies.store.teams.find(team, true));
    const { organization, id: project } = access.record;
    const request = contextFor(access.caller);
    let attempted = request.attempt === 'resumed';
    const next = (before: ProjectGrant | undefined): ProjectGrant => {
      // An earlier attempt of this request may have granted it without receiving the response of DynamoDB.
      const isOwn = attempted && isDeepStrictEqual(before, grant);
      if (before !== undefined && !isOwn) throw invalidRelationship('team', 'Team has already been taken');
      attempted = true;
      return grant;
    };
    const granted = dependencies.directory.projects.grantAccess(request, organization, project, { team, next, noTeam });
    return { data: teamProjectResource(await concealNotFound(granted), team) };
  };
