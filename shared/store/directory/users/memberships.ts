import { all, equals, exists } from '../../../domain/changes/conditions.ts';
import { type Membership, OWNERS_TEAM, type Team, type User } from '../../../domain/directory/records.ts';
import { conflict, invalid, invalidRelationship } from '../../../domain/errors.ts';
import { base58, newId } from '../../../lib/random.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { isOpen } from '../../items/directory-items.ts';
import { check, joinWrites, membershipEnd, membershipWrites, OPEN, update } from '../../items/record-items.ts';
import { commit, done, type Plan, type RecordingTable, unguarded } from '../records/commit.ts';
import { noOrganization, type RecordStore } from '../records/record-store.ts';
import { type Users, userOf } from './users.ts';

/** A user to add to an organization. A user with an unknown e-mail address is created, as invited (ORG-9). */
export type Invited = { readonly username: string } | { readonly email: string };

export interface Joined {
  readonly membership: Membership;
  readonly user: User;
  /** False if the user was a member before. */
  readonly created: boolean;
}

/** Throws if the membership must not be ended. */
type Allow = (isOwner: boolean) => void;

/** Maximum number of team memberships that one transaction ends together with that of the organization. */
const TEAMS_AT_ONCE = 45;

const revise = (): string => base58(8);

/** Creates the 409 error for a change that would leave an organization without an owner. */
export const lastOwner = (organization: string) =>
  conflict(`The organization ${organization} would have no owner. Add another user to its owners team first.`);
const noTeam = () => invalidRelationship('teams', 'Team does not exist in this organization');

/**
 * Opens the changes of memberships of organizations and teams. A member of a team is a member of its organization;
 * leaving the organization ends the membership of all its teams. All reads are strongly consistent.
 */
export const openMembers = (
  table: RecordingTable,
  records: RecordStore,
  { findUserItem, getUser, userWithEmail }: Users,
) => {
  const { database, record, request } = table;

  const ofOrganization = (organization: string, user: string): Promise<Item | undefined> =>
    database.get(keys.organizationMembership(user, organization), true);

  /** Finds the item of a team for a member; undefined if the user is none. */
  const findMember = async (team: string, user: string): Promise<Item | undefined> => {
    const item = await database.get(keys.member(team, user), true);
    return isOpen(item) ? item : undefined;
  };

  /** Builds the writes that add a user to a team's organization, or that make a concurrent `leave` see the new team. */
  const joining = async (organization: string, { id: user, invited }: User, createdAt: number): Promise<Write[]> => {
    if ((await ofOrganization(organization, user)) !== undefined) {
      const change = { set: { revision: revise() } };
      return [update(keys.organizationMembership(user, organization), change, exists('pk'))];
    }
    const id = newId('membership', request(), `${organization}/${user}`);
    const membership = { id, organization, user, createdAt, ...(invited && { invited }) };
    const joined = joinWrites(membership, revise(), record('organization-membership.created', createdAt));
    return [...joined, check(keys.organization(organization))];
  };

  /** Adds a user to a team. `created` in the result is false if the user was a member before. */
  const addMember = (organization: string, teamName: string, username: string) => {
    let attempted = false;
    return commit(table, async (now) => {
      const team = await records.get('team', organization, teamName);
      const user = await getUser(username);
      const result = { team, user, created: true };
      const held = await findMember(team.id, user.id);
      const isWhole = held !== undefined && (await ofOrganization(organization, user.id)) !== undefined;
      if (isWhole) return done({ ...result, created: attempted });
      attempted ||= held === undefined;
      return {
        writes: unguarded([
          ...membershipWrites(user.id, organization, team.id, record('team-membership.created', now)),
          ...(await joining(organization, user, now)),
          check(keys.team(team.id)),
          check(keys.user(user.id)),
        ]),
        result: { ...result, created: held === undefined },
      };
    });
  };

  /** Lists the ids of all members of a team except one. */
  const othersIn = async (team: string, user: string): Promise<string[]> => {
    const { pk: partition } = keys.team(team);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    return items.flatMap((item) => (isOpen(item) && item['user'] !== user ? [String(item['user'])] : []));
  };

  /**
   * Builds the check that another owner remains. If two owners remove each other at the same time, one check fails.
   * @throws DomainError 409 when the organization has no other owner.
   */
  const ownerRemains = async (organization: string, owners: string, user: string): Promise<Write> => {
    const [other] = await othersIn(owners, user);
    if (other === undefined) throw lastOwner(organization);
    return check(keys.member(owners, other));
  };

  /** Removes a user from a team. Nothing changes if the user is not in it. */
  const removeMember = async (organization: string, teamName: string, username: string) => {
    const noMember = conflict('The user is not in the team.');
    let result: { readonly team: Team; readonly user: User } | undefined;
    try {
      return await commit(table, async (now) => {
        const team = await records.get('team', organization, teamName);
        const user = await getUser(username);
        result = { team, user };
        const isOwners = team.name === OWNERS_TEAM;
        if (isOwners && (await findMember(team.id, user.id)) === undefined) return done(result);
        const ended = record('team-membership.deleted', now);
        const writes = membershipEnd({ user: user.id, organization, team: team.id }, ended);
        const owner = isOwners ? [await ownerRemains(organization, team.id, user.id)] : [];
        return {
          writes: [...writes.map((write) => ({ write, refusal: () => noMember })), ...unguarded(owner)],
          result,
        };
      });
    } catch (error) {
      if (error === noMember && result !== undefined) return result;
      throw error;
    }
  };

  /** Builds the write that marks the organization as one with an owner. Only one request can write it. */
  const firstOwnerOf = (organization: string): Write =>
    update(keys.organization(organization), { remove: ['ownerless'] }, all(OPEN, equals('ownerless', true)));

  const planOf = async (invited: Invited, id: string, now: number): Promise<Plan<User>> => {
    if ('email' in invited) return userWithEmail(invited.email, { id, createdAt: now, invited: true });
    const item = await findUserItem(invited.username);
    if (!isOpen(item)) throw invalid('username', 'User does not exist');
    const user = userOf(item);
    return { writes: unguarded([check(keys.user(user.id))]), result: user };
  };

  /**
   * Adds a user to an organization and to teams of it, or returns the existing membership.
   * @param asFirstOwner adds the first owner: an organization that has one is a 404 (ORG-2).
   * @throws DomainError 404 for an unknown organization; 422 for an unknown user or a deleted team.
   */
  const join = (
    organization: string,
    invited: Invited,
    teams: readonly string[] = [],
    asFirstOwner = false,
  ): Promise<Joined> => {
    const own = { membership: newId('membership', request()), user: newId('user', request()) };
    return commit(table, async (createdAt) => {
      const item = await database.get(keys.organization(organization), true);
      if (!isOpen(item)) throw noOrganization();
      const isFree =
        !asFirstOwner || (item['ownerless'] && (await othersIn(String(item['ownersTeam']), '')).length === 0);
      if (!isFree) throw noOrganization();
      const { writes, result: user } = await planOf(invited, own.user, createdAt);
      const held = await ofOrganization(organization, user.id);
      if (held !== undefined) {
        const { id, createdAt: since } = held as unknown as Membership;
        const membership = { id, organization, user: user.id, createdAt: since };
        return done({ membership, user, created: id === own.membership });
      }
      const { id: userId, invited: isInvited } = user;
      const membership = {
        id: own.membership,
        organization,
        user: userId,
        createdAt,
        ...(isInvited && { invited: true }),
      };
      return {
        writes: [
          ...writes,
          ...unguarded([
            ...joinWrites(membership, revise(), record('organization-membership.created', createdAt)),
            asFirstOwner ? firstOwnerOf(organization) : check(keys.organization(organization)),
          ]),
          ...teams.flatMap((team) => [
            ...unguarded(membershipWrites(user.id, organization, team, record('team-membership.created', createdAt))),
            { write: check(keys.team(team)), refusal: noTeam },
          ]),
        ],
        result: { membership, user, created: true },
      };
    });
  };

  /** Ends memberships in one transaction. @returns false if the user is in more teams than fit into one. */
  const leaveSome = (organization: string, user: string, allow: Allow): Promise<boolean> =>
    commit(table, async (now) => {
      const held = await ofOrganization(organization, user);
      const { pk: partition, sk: beginsWith } = keys.organizationMembership(user, organization);
      const items = await database.query({ partition, beginsWith, consistent: true });
      const inTeams = items.filter(({ team }) => team !== undefined);
      const ended = inTeams.slice(0, TEAMS_AT_ONCE);
      const isLast = ended.length === inTeams.length;
      const { ownersTeam } = (await database.get(keys.organization(organization), true)) ?? {};
      const isOwner = ended.some(({ team }) => team === ownersTeam);
      allow(isOwner);
      const owners = isOwner ? [await ownerRemains(organization, String(ownersTeam), user)] : [];
      const asSeen = equals('revision', String(held?.['revision']));
      const writes = [
        ...ended.flatMap((item) => membershipEnd(item, record('team-membership.deleted', now))),
        ...(isLast && held !== undefined
          ? membershipEnd(held, record('organization-membership.deleted', now), asSeen)
          : []),
      ];
      return { writes: unguarded([...writes, ...(writes.length > 0 ? owners : [])]), result: isLast };
    });

  return {
    addMember,
    removeMember,
    othersIn,
    join,

    /** Ends the membership of a user. @throws DomainError 409 for the only owner of the organization. */
    leave: async (organization: string, user: string, allow: Allow = () => undefined): Promise<void> => {
      while (!(await leaveSome(organization, user, allow))) {
        // Each call ends up to TEAMS_AT_ONCE memberships.
      }
    },
  };
};
