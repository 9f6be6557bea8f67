import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { User } from '../../../domain/directory/records.ts';
import { type GroupMapping, sourceOf } from '../../../domain/directory/sessions.ts';
import { isOpen } from '../../../domain/directory/transitions/plan.ts';
import { syncMemberships } from '../../../domain/directory/transitions/synced-memberships.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import { newId } from '../../../lib/random.ts';
import { groupPartition, keys, prefixes } from '../../dynamodb/keys.ts';
import { isOpen as isOpenItem } from '../../items/directory-items.ts';
import { apply, type Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import { findMembership, listMembers } from '../users/memberships.ts';

/** Number of groups that are looked up concurrently. */
const CONCURRENCY = 16;

/** Opens the changes of memberships that follow the groups of a person. All reads are strongly consistent. */
export const openMembershipSync = (table: Table, records: RecordStore) => {
  const { database } = table;

  /** Finds the teams that groups were mapped to. Whether they still are is read with the memberships. */
  const findMappings = async (groups: readonly string[]): Promise<GroupMapping[]> => {
    const found = await mapWithConcurrency(groups, CONCURRENCY, async (group) => {
      const items = await database.query({ partition: groupPartition(group), consistent: true });
      return items.map(({ organization, team }) => ({ group, organization: String(organization), team: String(team) }));
    });
    return found.flat();
  };

  /** Finds the organizations in which an identity provider gave memberships to a user. */
  const findSources = async (user: string, source: string): Promise<string[]> => {
    const { pk: partition } = keys.user(user);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    return items.filter((item) => item['source'] === source).map(({ organization }) => String(organization));
  };

  /** Takes the next step in one organization. @returns whether nothing is left to do. */
  const syncOnce = (
    request: RequestContext,
    { id: user }: Pick<User, 'id'>,
    provider: string,
    organization: string,
    mappings: readonly GroupMapping[],
  ): Promise<boolean> =>
    apply<boolean>(table, request, async (attempt) => {
      const { pk: partition, sk: beginsWith } = keys.organizationMembership(user, organization);
      const [stored, membership, items, teams] = await Promise.all([
        records.findOrganization(organization),
        findMembership(database, organization, user),
        database.query({ partition, beginsWith, consistent: true }),
        database.getAll(
          mappings.map(({ team }) => keys.team(team)),
          true,
        ),
      ]);
      if (!isOpen(stored)) return { effects: [], result: true };
      const { ownersTeam, ownersTeamSamlRoleId } = stored.record;
      const groupOf = (team: string): unknown =>
        team === ownersTeam
          ? ownersTeamSamlRoleId
          : teams.find((one) => one['id'] === team && one['organization'] === organization && isOpenItem(one))?.[
              'ssoTeamId'
            ];
      const held = items.flatMap(({ team, source }) =>
        team === undefined ? [] : [{ team: String(team), ...(source !== undefined && { source: String(source) }) }],
      );
      const isOwner = held.some(({ team }) => team === ownersTeam);
      const owners = isOwner ? await listMembers(database, ownersTeam) : [];
      const mapped = mappings.filter(({ team, group }) => groupOf(team) === group);
      const id = newId('membership', request, `${organization}/${user}`);
      return syncMemberships(
        attempt,
        { user, organization, provider, membership, held, mapped, ownersTeam, owners },
        id,
      );
    });

  /** Brings the memberships of a user in line with groups at an identity provider (SESSION-7). It can be repeated. */
  return async (
    request: RequestContext,
    user: Pick<User, 'id'>,
    provider: string,
    groups: readonly string[],
  ): Promise<void> => {
    const mappings = await findMappings(groups);
    const byOrganization = Map.groupBy(mappings, ({ organization }) => organization);
    const organizations = new Set([...byOrganization.keys(), ...(await findSources(user.id, sourceOf(provider)))]);
    for (const organization of organizations) {
      const mapped = byOrganization.get(organization) ?? [];
      while (!(await syncOnce(request, user, provider, organization, mapped))) {
        // Each call takes one step.
      }
    }
  };
};
