import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { requireTeamManagement } from './require-management.ts';
import type { TeamServices } from './services.ts';

/** `DELETE /teams/:team_id`: revokes everything that was granted to the team (TEAM-6). */
export const deleteTeam =
  (services: TeamServices): Operation<'teams.delete'> =>
  async ({ id, digest, parameters }) => {
    const access = await authorizeTeam(services.store, digest, parameters.team_id, requireTeamManagement);
    const { organization, id: team } = access.record;
    await services.removalFor({ id, principal: access.caller.principal }).beginRecord('team', organization, team);
    return undefined;
  };
