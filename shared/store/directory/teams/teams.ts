import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { OrganizationPermission } from '../../../domain/directory/grants.ts';
import type { Team, TeamSettings } from '../../../domain/directory/records.ts';
import { mapGroup } from '../../../domain/directory/transitions/groups.ts';
import type { Created } from '../../../domain/directory/transitions/records.ts';
import { grantPermissions, type TeamChange, updateTeam } from '../../../domain/directory/transitions/teams.ts';
import { newId } from '../../../lib/random.ts';
import type { Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import { findTokens } from '../tokens/token-reader.ts';

/** Opens the changes of teams. */
export const openTeams = ({ database }: Table, records: RecordStore) => ({
  /** Creates a team, or returns the team of that name. */
  create: (
    request: RequestContext,
    team: Pick<Team, 'organization' | 'name' | 'service' | keyof TeamSettings> & {
      readonly permissions: readonly OrganizationPermission[];
    },
  ): Promise<Created<Team>> => {
    const id = newId('team', request);
    const { organization, permissions } = team;
    // The write of the permissions also checks that the organization exists.
    const parent = permissions.length > 0 ? grantPermissions(organization, id, permissions) : undefined;
    return records.create(request, 'team', team, {
      id,
      parent,
      others: mapGroup({ organization, team: id }, team.ssoTeamId),
    });
  },

  /** Updates a team. @throws DomainError 404; 422 if the name is taken, or the change is not allowed for `owners`. */
  update: (
    request: RequestContext,
    organization: string,
    nameOrId: string,
    plan: (team: Team) => TeamChange,
  ): Promise<Team> =>
    records.updateSettings(request, 'team', organization, nameOrId, async (team) => {
      const change = plan(team);
      const isRenamed = change.newName !== undefined && change.newName !== team.name;
      return updateTeam(team, change, isRenamed ? await findTokens(database, { kind: 'team', id: team.id }) : []);
    }),
});
