import { all, equals } from '../../changes/conditions.ts';
import type { OrganizationChange } from '../../changes/organization-changes.ts';
import { conflict, type DomainError, invalid, invalidRelationship } from '../../errors.ts';
import type { Membership, Team, User } from '../records.ts';
import { type Attempt, done, type Effect, OPEN, type Plan, record, type TeamMembership } from './plan.ts';
import { noOrganization } from './records.ts';
import { useUser } from './users.ts';

/**
 * Memberships of organizations and teams. A member of a team is a member of its organization; leaving the organization
 * ends the membership of all its teams.
 */

/** A user in a team, and whether this request changed that. */
export interface Member {
  readonly team: Team;
  readonly user: User;
}

export interface Joined {
  readonly membership: Membership;
  readonly user: User;
  /** False if the user was a member before. */
  readonly created: boolean;
}

/** Stored membership of an organization. */
export interface StoredMembership extends Membership {
  /** Changes when the user joins a team. */
  readonly revision: string;
}

/** Maximum number of team memberships that one transaction ends together with the organization membership. */
const TEAMS_AT_ONCE = 45;

/** Creates the 409 error for a change that would leave an organization without an owner. */
export const lastOwner = (organization: string): DomainError =>
  conflict(`The organization ${organization} would have no owner. Add another user to its owners team first.`);

const noTeam = (): DomainError => invalidRelationship('teams', 'Team does not exist in this organization');

/** Plans the write of a team membership with its change record. */
export const joinTeam = (attempt: Attempt, membership: TeamMembership): Effect => ({
  kind: 'join-team',
  membership,
  changeRecord: record(attempt, 'team-membership.created'),
});

/** Plans the write of an organization membership with its change record. */
export const joinOrganization = (attempt: Attempt, membership: Membership): Effect => ({
  kind: 'join-organization',
  membership,
  changeRecord: record(attempt, 'organization-membership.created'),
});

/** Plans the end of a team membership with its change record. */
export const leaveTeam = (attempt: Attempt, membership: TeamMembership): Effect => ({
  kind: 'leave-team',
  membership,
  changeRecord: record(attempt, 'team-membership.deleted'),
});

/** Plans the end of an organization membership with its change record. */
export const leaveOrganization = (attempt: Attempt, membership: StoredMembership): Effect => ({
  kind: 'leave-organization',
  membership,
  revision: membership.revision,
  changeRecord: record(attempt, 'organization-membership.deleted'),
});

/** Finds an owner other than the user; undefined if there is none. */
export const otherOwner = (owners: readonly string[], user: string): string | undefined =>
  owners.find((owner) => owner !== user);

/**
 * Requires that another owner remains. If two owners remove each other at the same time, one condition fails.
 * @throws DomainError 409 for the only owner.
 */
export const requireOwner = (organization: string, team: string, user: string, owners: readonly string[]): Effect => {
  const other = otherOwner(owners, user);
  if (other === undefined) throw lastOwner(organization);
  return { kind: 'require-member', team, user: other };
};

const requireOpen = (kind: 'organization' | 'team' | 'user', id: string): Effect => ({
  kind: 'require',
  of: { kind, id },
});

/** Builds the membership of a user from now on. */
const membershipFrom = (
  { at }: Attempt,
  id: string,
  organization: string,
  { id: user, invited }: User,
): Membership => ({ id, organization, user, createdAt: at, ...(invited && { invited }) });

/**
 * Plans to add a user to a team and, if necessary, to its organization. Adding a member changes nothing, except that a
 * membership by a group becomes a lasting one (SESSION-8).
 * @param held the memberships that the user has, and the source of that of the team.
 * @param id id of a new membership in the organization.
 */
export const addMember = (
  attempt: Attempt<Member & Pick<Joined, 'created'>>,
  { team, user }: Member,
  held: { readonly inTeam: boolean; readonly inOrganization: boolean; readonly source?: unknown },
  id: string,
): Plan<Member & Pick<Joined, 'created'>> => {
  const { organization } = team;
  // A user whose membership of the team was new in the previous attempt has been added by it.
  if (held.inTeam && held.inOrganization) {
    const membership = { user: user.id, organization, team: team.id };
    return {
      effects: held.source === undefined ? [] : [{ kind: 'keep-team', membership }],
      result: { team, user, created: attempt.previous?.created ?? false },
    };
  }
  const joining: Effect[] = held.inOrganization
    ? [{ kind: 'revise-membership', user: user.id, organization }]
    : [
        joinOrganization(attempt, membershipFrom(attempt, id, organization, user)),
        requireOpen('organization', organization),
      ];
  return {
    effects: [
      joinTeam(attempt, { user: user.id, organization, team: team.id }),
      ...joining,
      requireOpen('team', team.id),
      requireOpen('user', user.id),
    ],
    result: { team, user, created: !held.inTeam || (attempt.previous?.created ?? false) },
  };
};

/**
 * Plans to remove a user from a team. Nothing changes if the user is not in it.
 * @param owners ids of the owners of the organization; undefined for any other team.
 * @throws DomainError 409 for the only owner.
 */
export const removeMember = (
  attempt: Attempt,
  { team, user }: Member,
  owners: readonly string[] | undefined,
): Plan<Member> => {
  const result = { team, user };
  if (owners?.includes(user.id) === false) return done(result);
  const { id, organization } = team;
  return {
    effects: [
      { ...leaveTeam(attempt, { user: user.id, organization, team: id }), isDoneOnFailure: true },
      ...(owners ? [requireOwner(organization, id, user.id, owners)] : []),
    ],
    result,
  };
};

/** Plans to use the user of an invitation by username. @throws DomainError 422 if there is none. */
export const useInvited = (found: User | undefined): Plan<User> => {
  if (found === undefined) throw invalid('username', 'User does not exist');
  return useUser(found);
};

/**
 * Requires that the user to be added is the first owner of the organization (ORG-2).
 * @param ownerless whether none was added since the creation with a site token.
 * @param owners ids of the users in the owners team.
 */
export const requireOwnerless = (ownerless: boolean | undefined, owners: readonly string[]): void => {
  if (!ownerless || owners.length > 0) throw noOrganization();
};

/** Request to add a user to an organization. */
export interface JoinRequest {
  /** Id of the new membership. */
  readonly id: string;
  /** Ids of the teams to which the user is added. */
  readonly teams: readonly string[];
  /** Whether the user becomes the first owner. Only one request can add one. */
  readonly isFirstOwner: boolean;
}

/**
 * Plans to add a user to an organization and to teams of it. An existing membership is kept.
 * @param user plan that uses an existing user or creates an invited user.
 * @throws DomainError 422 for a deleted team, when the plan is applied.
 */
export const join = (
  attempt: Attempt,
  organization: string,
  { effects, result: user }: Plan<User>,
  held: StoredMembership | undefined,
  { id, teams, isFirstOwner }: JoinRequest,
): Plan<Joined> => {
  if (held !== undefined) {
    const membership = { id: held.id, organization, user: user.id, createdAt: held.createdAt };
    return done({ membership, user, created: held.id === id });
  }
  const membership = membershipFrom(attempt, id, organization, user);
  const unchanged: Effect = isFirstOwner
    ? {
        kind: 'update',
        of: { kind: 'organization', id: organization },
        change: { remove: ['ownerless'] },
        condition: all(OPEN, equals('ownerless', true)),
      }
    : requireOpen('organization', organization);
  return {
    effects: [
      ...effects,
      joinOrganization(attempt, membership),
      unchanged,
      ...teams.flatMap((team): Effect[] => [
        joinTeam(attempt, { user: user.id, organization, team }),
        { ...requireOpen('team', team), rejection: noTeam },
      ]),
    ],
    result: { membership, user, created: true },
  };
};

/** The memberships of a user in an organization. */
export interface HeldMemberships {
  readonly user: string;
  readonly organization: string;
  /** Undefined if only memberships of teams are left. */
  readonly membership: StoredMembership | undefined;
  /** Ids of the teams. */
  readonly teams: readonly string[];
  readonly ownersTeam: string | undefined;
  /** Ids of the users in the owners team, if the user is one of them. */
  readonly owners: readonly string[];
}

/**
 * Plans to end the memberships of a user in an organization. Team memberships end first if they are too many for
 * one transaction.
 * @param allow throws if the caller may not end the membership of an owner, or of another user.
 * @returns whether none is left; otherwise the transition has to be repeated.
 * @throws DomainError 409 for the only owner.
 */
export const leave = (
  attempt: Attempt,
  { user, organization, membership, teams, ownersTeam, owners }: HeldMemberships,
  allow: (isOwner: boolean) => void,
): Plan<boolean> => {
  const ended = teams.slice(0, TEAMS_AT_ONCE);
  const isLast = ended.length === teams.length;
  const isOwner = ended.some((team) => team === ownersTeam);
  allow(isOwner);
  const effects = ended.map((team) => leaveTeam(attempt, { user, organization, team }));
  if (isLast && membership !== undefined) effects.push(leaveOrganization(attempt, membership));
  if (isOwner && ownersTeam !== undefined) effects.push(requireOwner(organization, ownersTeam, user, owners));
  return { effects, result: isLast };
};

/** A membership of a team or, without `team`, of an organization. */
export type AnyMembership = TeamMembership | (StoredMembership & { readonly team?: never });

/** Ends a membership. Without a change record, its team or organization is deleted too. */
export const endMembership = (membership: AnyMembership, changeRecord?: OrganizationChange): Effect => {
  const recorded = changeRecord && { changeRecord };
  return membership.team === undefined
    ? { kind: 'leave-organization', membership, ...recorded }
    : { kind: 'leave-team', membership, ...recorded };
};

/** Plans the end of a membership of a deleted user, with a change record: the organization or team exists longer (EVENT-18). */
export const endMembershipOfDeleted = (attempt: Attempt, membership: AnyMembership | undefined): Plan<undefined> => {
  if (membership === undefined) return done(undefined);
  const type = membership.team === undefined ? 'organization-membership.deleted' : 'team-membership.deleted';
  return { effects: [endMembership(membership, record(attempt, type))], result: undefined };
};
