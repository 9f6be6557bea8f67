import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { presentTeam } from './present.ts';
import type { TeamServices } from './services.ts';

/** `GET /teams/:team_id` */
export const showTeam =
  (services: TeamServices): Operation<'teams.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await authorizeTeam(services.store, digest, parameters.team_id);
    return presentTeam(services, access, access.record, include);
  };
