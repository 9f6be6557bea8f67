import { all, equals } from '../../changes/conditions.ts';
import { sourceOf } from '../sessions.ts';
import {
  joinOrganization,
  joinTeam,
  leaveOrganization,
  leaveTeam,
  otherOwner,
  requireOwner,
  type StoredMembership,
} from './memberships.ts';
import { type Attempt, done, type Effect, OPEN, type Plan } from './plan.ts';
import { recordOnMembership } from './sessions.ts';

/** Memberships that follow the groups of a person at an identity provider (SESSION-7, SESSION-8). */

/** A team that a group of the person is mapped to. */
export interface MappedTeam {
  readonly team: string;
  readonly group: string;
}

/** The memberships of a user in an organization, and the teams that the groups of the user are mapped to. */
export interface SyncedMemberships {
  readonly user: string;
  readonly organization: string;
  /** Name of the identity provider. */
  readonly provider: string;
  readonly membership: StoredMembership | undefined;
  readonly held: readonly { readonly team: string; readonly source?: string }[];
  readonly mapped: readonly MappedTeam[];
  readonly ownersTeam: string;
  /** Ids of the users in the owners team, if the user is one of them. */
  readonly owners: readonly string[];
}

/** Number of teams that one transaction changes: each takes three writes at most, and a transaction holds 100. */
const TEAMS_AT_ONCE = 25;

/** Requires that a group is still mapped to a team. */
const requireMapping = (organization: string, ownersTeam: string, { team, group }: MappedTeam): Effect =>
  team === ownersTeam
    ? {
        kind: 'require',
        of: { kind: 'organization', id: organization },
        condition: all(OPEN, equals('ownersTeamSamlRoleId', group)),
      }
    : { kind: 'require', of: { kind: 'team', id: team }, condition: all(OPEN, equals('ssoTeamId', group)) };

/** Plans the membership of the organization, which teams need. */
const planJoin = (attempt: Attempt, { user, organization, provider }: SyncedMemberships, id: string): Effect[] => [
  joinOrganization(attempt, { id, organization, user, createdAt: attempt.at, source: sourceOf(provider) }),
  { kind: 'require', of: { kind: 'organization', id: organization } },
  { kind: 'require', of: { kind: 'user', id: user } },
];

/**
 * Plans the next step by which the memberships of a user in an organization follow the groups of the user. Memberships that a
 * person or another identity provider gave stay, and so does the last owner (ORG-12).
 * @param id id of a new membership in the organization.
 * @returns whether nothing is left to do; otherwise the transition has to be repeated.
 */
export const syncMemberships = (attempt: Attempt, synced: SyncedMemberships, id: string): Plan<boolean> => {
  const { user, organization, provider, membership, held, mapped, ownersTeam, owners } = synced;
  const source = sourceOf(provider);
  const isMapped = (team: string): boolean => mapped.some((one) => one.team === team);
  const isLastOwner = otherOwner(owners, user) === undefined;
  const joined = mapped.filter(({ team }) => !held.some((one) => one.team === team)).slice(0, TEAMS_AT_ONCE);
  const left = held
    .filter((one) => one.source === source && !isMapped(one.team) && !(one.team === ownersTeam && isLastOwner))
    .slice(0, TEAMS_AT_ONCE - joined.length)
    .map(({ team }) => team);
  if (joined.length > 0 && membership === undefined) {
    return { effects: planJoin(attempt, synced, id), result: false };
  }
  if (joined.length + left.length > 0) {
    const teams = { added: joined.map(({ team }) => team), removed: left };
    const details = { signIn: { provider }, teams };
    return {
      effects: [
        ...joined.map(({ team }) => joinTeam(attempt, { user, organization, team, source })),
        ...joined.map((one) => requireMapping(organization, ownersTeam, one)),
        ...left.map((team) => leaveTeam(attempt, { user, organization, team })),
        ...(left.includes(ownersTeam) ? [requireOwner(organization, ownersTeam, user, owners)] : []),
        ...(membership ? [recordOnMembership(attempt, user, organization, 'membership.synced', details)] : []),
        ...(joined.length > 0 ? [{ kind: 'require', of: { kind: 'user', id: user } } as const] : []),
      ],
      result: false,
    };
  }
  if (membership?.source === source && held.length === 0) {
    return { effects: [leaveOrganization(attempt, membership)], result: true };
  }
  return done(true);
};
