import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { TeamDependencies } from './dependencies.ts';
import { presentTeam } from './present.ts';

/** `GET /teams/:team_id` */
export const showTeam =
  (dependencies: TeamDependencies): Operation<'teams.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await authorizeTeam(dependencies.store, digest, parameters.team_id);
    return presentTeam(dependencies, access, access.record, include);
  };
