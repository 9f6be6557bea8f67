import { actingJob } from '../../../domain/bulk-jobs/bulk-job.ts';
import type {
  AuditTrailPrincipal,
  CallerMembership,
  Principal,
  WorkloadScope,
} from '../../../domain/directory/records.ts';
import { acceptedUntil, type SignInTimes } from '../../../domain/directory/sign-in-policy.ts';
import { actingTeam } from '../../../domain/directory/tokens.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createCache } from '../../dynamodb/cache.ts';
import type { Database } from '../../dynamodb/database.ts';
import { type Item, keys, prefixes } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { openFirstUses } from './first-uses.ts';
import { openJobCallers } from './job-caller.ts';

/** The holder of a valid token. */
interface Identity {
  readonly principal: Principal | AuditTrailPrincipal;
}

/** Extracts the team ids. The membership of the organization itself has no team. */
const teamsIn = (memberships: readonly Item[]): string[] =>
  memberships.flatMap(({ team }) => (team === undefined ? [] : String(team)));

/** Returns the principal of the token that a workload identity gave to a pipeline: its team, within limits (WI-10). */
const workloadPrincipalOf = (item: Item): Principal => {
  const { team, name, organization, subject: identity, id: token } = item as Record<string, string>;
  const scope = item['scope'] as WorkloadScope | undefined;
  return {
    kind: 'team',
    id: team,
    name,
    organization,
    workload: { identity, ...(scope && { scope }) },
    token,
  } as Principal;
};

const principalOf = (item: Item): Principal => {
  if (item['kind'] === 'workloadIdentity') return workloadPrincipalOf(item);
  const { kind, subject, name, organization, workspace, session, id: token } = item as Record<string, string>;
  return {
    kind,
    id: subject,
    name,
    ...(organization && { organization }),
    ...(workspace && { workspace }),
    ...(session && { session }),
    ...(token && { token }),
  } as Principal;
};

interface StoredMembership {
  readonly teams: readonly string[];
  /** Time until which a sign-in or an exemption counts, in milliseconds. */
  readonly freshUntil: number;
}

/**
 * Reads of who is calling.
 * @param cacheSeconds for how long a revoked token or membership may still be accepted from the cache.
 * @param freshnessDays for how long a sign-in counts where an organization requires one (POLICY-1).
 */
export const openIdentities = (database: Database, clock: Clock, cacheSeconds: number, freshnessDays: number) => {
  const firstUses = openFirstUses(database, clock);
  const tokens = createCache<Item>(cacheSeconds * 1_000, clock);
  const memberships = createCache<ReadonlyMap<string, StoredMembership>>(cacheSeconds * 1_000, clock);

  /** Finds the team that automation acts as; only a team created as a service principal qualifies (TEAM-7). */
  const findService = async (id: string, consistent: boolean): Promise<Identity | undefined> => {
    const item = await tokens.get(id, consistent, () => database.get(keys.team(id), consistent));
    if (!isOpen(item) || item['service'] !== true) return undefined;
    const { name, organization } = item as Record<string, string>;
    return { principal: { kind: 'team', id, name, organization } as Principal };
  };

  const findJobCaller = openJobCallers(
    ({ pk, sk }, consistent) => tokens.get(`${pk} ${sk}`, consistent, () => database.get({ pk, sk }, consistent)),
    clock,
    async (credential, consistent) => {
      const team = actingTeam(credential);
      const service = team === undefined ? undefined : await findService(team, consistent);
      return service?.principal as Principal | undefined;
    },
  );

  const freshUntilOf = (memberships: readonly Item[]): number =>
    Math.max(...memberships.map((item) => acceptedUntil(item as SignInTimes, freshnessDays)));

  const readMemberships = async (user: string, consistent: boolean): Promise<ReadonlyMap<string, StoredMembership>> => {
    const { pk: partition } = keys.user(user);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent });
    const byOrganization = Map.groupBy(items, ({ organization }) => String(organization));
    return new Map(
      [...byOrganization].map(([name, found]) => [name, { teams: teamsIn(found), freshUntil: freshUntilOf(found) }]),
    );
  };

  const present = (memberships: ReadonlyMap<string, StoredMembership>): ReadonlyMap<string, CallerMembership> => {
    const at = clock();
    return new Map(
      [...memberships].map(([name, { teams, freshUntil }]) => [name, { teams, isFresh: freshUntil > at }]),
    );
  };

  return {
    /** Finds the identity of a token; undefined if there is none, or it was revoked, has expired, or is suspended. */
    findToken: async (digest: string, consistent: boolean): Promise<Identity | undefined> => {
      const team = actingTeam(digest);
      if (team !== undefined) return findService(team, consistent);
      const job = actingJob(digest);
      if (job !== undefined) {
        const principal = await findJobCaller(job, consistent);
        return principal && { principal };
      }
      const item = await tokens.get(digest, consistent, () => database.get(keys.token(digest), consistent));
      if (item === undefined || item['suspended'] === true) return undefined;
      const expiresAt = item['expiresAt'] as number | undefined;
      if (expiresAt !== undefined && expiresAt <= clock()) return undefined;
      const principal = principalOf(item);
      firstUses.note(digest, { item, principal });
      return { principal };
    },

    reportFirstUse: firstUses.reportFirstUse,

    /** A token that was just revoked: this instance must not use the cached entry any longer. */
    forgetToken: tokens.delete,

    /**
     * Finds the memberships of a calling user by the name of each organization that the user belongs to; cached. The organization
     * of the request is no part of the read: what is read and cached must not depend on whether it exists (PERM-21).
     */
    findCallerMemberships: async (user: string, consistent: boolean): Promise<ReadonlyMap<string, CallerMembership>> =>
      present((await memberships.get(user, consistent, () => readMemberships(user, consistent))) ?? new Map()),

    /** Finds the memberships of a user by the name of each organization that the user belongs to. */
    findMemberships: async (user: string, consistent: boolean): Promise<ReadonlyMap<string, CallerMembership>> =>
      present(await readMemberships(user, consistent)),

    /** Finds the ids of a user's teams in an organization; undefined if the user does not belong to it. */
    findTeams: async (user: string, organization: string): Promise<readonly string[] | undefined> => {
      const { pk: partition, sk: beginsWith } = keys.organizationMembership(user, organization);
      const items = await database.query({ partition, beginsWith, consistent: true });
      return items.length === 0 ? undefined : teamsIn(items);
    },
  };
};

export type Identities = ReturnType<typeof openIdentities>;
