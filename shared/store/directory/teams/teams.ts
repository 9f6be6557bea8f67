import type { OrganizationPermission } from '../../../domain/directory/grants.ts';
import { OWNERS_TEAM, type Team, type TeamSettings } from '../../../domain/directory/records.ts';
import { noOrganization } from '../../../domain/directory/transitions/records.ts';
import { DomainError } from '../../../domain/errors.ts';
import { keys } from '../../dynamodb/keys.ts';
import { accessChange, OPEN, update } from '../../items/record-items.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import type { CreateResult } from '../records/record-store.ts';

/** Changes of teams. Their organization permissions are also on the organization item, in the same transaction. */

/** A change of a team; an omitted property keeps its value. */
export interface TeamChange extends Partial<TeamSettings> {
  readonly newName?: string;
  readonly permissions?: readonly OrganizationPermission[];
}

const accessWrite = (organization: string, team: string, permissions: readonly OrganizationPermission[]) => ({
  write: update(keys.organization(organization), accessChange(team, permissions), OPEN),
  refusal: noOrganization,
});

/** Creates a team, or returns the team of that name. */
export const createTeam = (
  { records }: Pick<DirectoryWriter, 'records'>,
  team: Pick<Team, 'organization' | 'name' | 'service' | keyof TeamSettings> & {
    readonly permissions: readonly OrganizationPermission[];
  },
): Promise<CreateResult<Team>> =>
  records.create('team', team, (id) => ({
    // The write of the permissions also checks that the organization exists.
    ...(team.permissions.length > 0 && { parent: accessWrite(team.organization, id, team.permissions) }),
  }));

const fixed = (detail: string) => new DomainError('unprocessable', detail);

/** Updates a team. @throws DomainError 404; 422 if the name is taken, or the change is not allowed for `owners`. */
export const updateTeam = (
  { records, tokenRenames }: Pick<DirectoryWriter, 'records' | 'tokenRenames'>,
  organization: string,
  nameOrId: string,
  plan: (team: Team) => TeamChange,
): Promise<Team> =>
  records.updateSettings('team', organization, nameOrId, async (team) => {
    const { id, name: before } = team;
    const { newName = before, ...fields } = plan(team);
    const { permissions } = fields;
    if (before === OWNERS_TEAM && newName !== before) throw fixed('The owners team cannot be renamed.');
    if (before === OWNERS_TEAM && permissions !== undefined) throw fixed('The owners team may do everything.');
    return {
      newName,
      change: { set: fields },
      additionalWrites: [
        ...(permissions ? [accessWrite(organization, id, permissions)] : []),
        ...(newName === before ? [] : await tokenRenames({ kind: 'team', id }, newName)),
      ],
    };
  });
