import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { teamRequest } from '../../shared/resources/teams/request-mapping.ts';
import type { TeamDependencies } from './dependencies.ts';
import { permissionsAfter } from './permissions.ts';
import { presentTeam } from './present.ts';
import { requireTeamManagement } from './require-management.ts';

/** `PATCH /teams/:team_id` (TEAM-3). The body is validated for a team that the caller may change (HTTP-11). */
export const updateTeam =
  (dependencies: TeamDependencies): Operation<'teams.update'> =>
  async ({ contextFor, digest, parameters: { team_id: id }, body: readBody }) => {
    const access = await authorizeTeam(dependencies.store, digest, id, (context) => {
      requireTeamManagement(context);
      const { organizationAccess = {} } = teamRequest(readBody().data.attributes ?? {});
      if (Object.keys(organizationAccess).length > 0) {
        requireOrganizationPermission(context, 'organization-access.manage');
      }
    });
    const { data } = readBody();
    const { name, organizationAccess: requested = {}, ...settings } = teamRequest(data.attributes ?? {});
    requireSameId(data.id, id);
    const team = await concealNotFound(
      dependencies.directory.teams.update(
        contextFor(access.caller),
        access.organization.name,
        id,
        ({ permissions: before }) => {
          const permissions = permissionsAfter(before, requested);
          return {
            ...settings,
            ...(name !== undefined && { newName: name }),
            ...(permissions && { permissions }),
          };
        },
      ),
    );
    return presentTeam(dependencies, access, team);
  };
