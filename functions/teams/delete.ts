import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { TeamDependencies } from './dependencies.ts';
import { requireTeamManagement } from './require-management.ts';

/** `DELETE /teams/:team_id`: revokes everything that was granted to the team (TEAM-6). */
export const deleteTeam =
  (dependencies: TeamDependencies): Operation<'teams.delete'> =>
  async ({ contextFor, digest, parameters }) => {
    const access = await authorizeTeam(dependencies.store, digest, parameters.team_id, requireTeamManagement);
    const { organization, id: team } = access.record;
    await dependencies.removal.beginRecord(contextFor(access.caller), 'team', organization, team);
    return undefined;
  };
