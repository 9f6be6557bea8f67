import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { OWNERS_TEAM, type User } from '../../../domain/directory/records.ts';
import {
  addMember,
  type Joined,
  join,
  leave,
  type Member,
  removeMember,
  requireOwnerless,
  type StoredMembership,
  useInvited,
} from '../../../domain/directory/transitions/memberships.ts';
import { type Attempt, isOpen, type Plan } from '../../../domain/directory/transitions/plan.ts';
import { noOrganization } from '../../../domain/directory/transitions/records.ts';
import { exemptMember } from '../../../domain/directory/transitions/sessions.ts';
import { notFound } from '../../../domain/errors.ts';
import { newId } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { isOpen as isOpenItem } from '../../items/directory-items.ts';
import { apply, type Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import type { Users } from './users.ts';

/** A user to add to an organization. A user with an unknown e-mail address is created, as invited (ORG-9). */
export type Invited = { readonly username: string } | { readonly email: string };

/** Finds the membership of a user in an organization. */
export const findMembership = async (
  database: Database,
  organization: string,
  user: string,
): Promise<StoredMembership | undefined> =>
  (await database.get(keys.organizationMembership(user, organization), true)) as unknown as
    | StoredMembership
    | undefined;

/** Lists the ids of the members of a team. */
export const listMembers = async (database: Database, team: string): Promise<string[]> => {
  const { pk: partition } = keys.team(team);
  const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
  return items.filter(isOpenItem).map(({ user }) => String(user));
};

/** Opens the changes of memberships of organizations and teams. All reads are strongly consistent. */
export const openMembers = (table: Table, records: RecordStore, users: Users) => {
  const { database } = table;

  const planUser = async ({ at }: Attempt, invited: Invited, id: string): Promise<Plan<User>> => {
    if ('email' in invited) return users.planInvited({ id, email: invited.email, createdAt: at, invited: true });
    const stored = await users.find(invited.username);
    return useInvited(isOpen(stored) ? stored.record : undefined);
  };

  return {
    list: (team: string) => listMembers(database, team),

    /** Adds a user to a team. `created` in the result is false if the user was a member before. */
    add: (request: RequestContext, organization: string, teamName: string, username: string) =>
      apply<Member & Pick<Joined, 'created'>>(table, request, async (attempt) => {
        const team = await records.get('team', organization, teamName);
        const user = await users.get(username);
        const member = await database.get(keys.member(team.id, user.id), true);
        const inTeam = isOpenItem(member);
        const inOrganization = (await findMembership(database, organization, user.id)) !== undefined;
        const id = newId('membership', request, `${organization}/${user.id}`);
        return addMember(attempt, { team, user }, { inTeam, inOrganization, source: member?.['source'] }, id);
      }),

    /** Removes a user from a team. Nothing changes if the user is not in it. @throws DomainError 409 for the only owner. */
    remove: (request: RequestContext, organization: string, teamName: string, username: string) =>
      apply<Member>(table, request, async (attempt) => {
        const team = await records.get('team', organization, teamName);
        const user = await users.get(username);
        return removeMember(
          attempt,
          { team, user },
          team.name === OWNERS_TEAM ? await listMembers(database, team.id) : undefined,
        );
      }),

    /**
     * Adds a user to an organization and to teams of it, or returns the existing membership.
     * @param asFirstOwner adds the first owner: an organization that has one is a 404 (ORG-2).
     * @throws DomainError 404 for an unknown organization; 422 for an unknown user or a deleted team.
     */
    join: (
      request: RequestContext,
      organization: string,
      invited: Invited,
      teams: readonly string[] = [],
      asFirstOwner = false,
    ): Promise<Joined> => {
      const id = newId('membership', request);
      const newUser = newId('user', request);
      return apply<Joined>(table, request, async (attempt) => {
        const stored = await records.findOrganization(organization);
        if (!isOpen(stored)) throw noOrganization();
        if (asFirstOwner) {
          const { ownerless, ownersTeam } = stored.record;
          requireOwnerless(ownerless, ownerless ? await listMembers(database, ownersTeam) : []);
        }
        const user = await planUser(attempt, invited, newUser);
        const held = await findMembership(database, organization, user.result.id);
        return join(attempt, organization, user, held, { id, teams, isFirstOwner: asFirstOwner });
      });
    },

    /** Exempts a member from the sign-in policy until a time, in milliseconds (POLICY-4). @throws DomainError 404. */
    exempt: (request: RequestContext, organization: string, username: string, until: number) =>
      apply<undefined>(table, request, async (attempt) => {
        const { id: user } = await users.get(username);
        if ((await findMembership(database, organization, user)) === undefined) {
          throw notFound(`${username} is no member of ${organization}`);
        }
        return exemptMember(attempt, { user, organization }, until);
      }),

    /**
     * Ends the membership of a user in an organization and in its teams.
     * @param allow throws if the caller may not end it.
     * @throws DomainError 409 for the only owner of the organization.
     */
    leave: async (
      request: RequestContext,
      organization: string,
      user: string,
      allow: (isOwner: boolean) => void = () => undefined,
    ): Promise<void> => {
      const leaveSome = () =>
        apply<boolean>(table, request, async (attempt) => {
          const membership = await findMembership(database, organization, user);
          const { pk: partition, sk: beginsWith } = keys.organizationMembership(user, organization);
          const items = await database.query({ partition, beginsWith, consistent: true });
          const teams = items.flatMap(({ team }) => (team === undefined ? [] : [String(team)]));
          const { ownersTeam } = (await records.findOrganization(organization))?.record ?? {};
          const owners =
            ownersTeam !== undefined && teams.includes(ownersTeam) ? await listMembers(database, ownersTeam) : [];
          return leave(attempt, { user, organization, membership, teams, ownersTeam, owners }, allow);
        });
      while (!(await leaveSome())) {
        // Each call ends as many memberships as fit into a transaction.
      }
    },
  };
};
