import type { Clock } from '../clock.ts';
import { absent, all, type Change, type Condition, equals, exists } from '../domain/conditions.ts';
import {
  DEFAULT_PROJECT,
  type Organization,
  OWNERS_TEAM,
  type Project,
  type Team,
  type User,
  usernameOf,
} from '../domain/directory.ts';
import { conflict, invalid, notFound } from '../domain/errors.ts';
import { prefixes as ids } from '../domain/ids.ts';
import { nameTaken } from '../domain/transitions.ts';
import { base58 } from '../random.ts';
import { commit, done, type Plan, type Table, unguarded } from './administration-commit.ts';
import {
  check,
  type Guarded,
  membershipRemovals,
  membershipWrites,
  OPEN,
  organizationItem,
  put,
  recordWrites,
  remove,
  type Token,
  tokenRemovals,
  tokenSubjectOf,
  tokenWrites,
  update,
  userWrites,
} from './administration-items.ts';
import { beingDeleted, noOrganization, openRecords } from './administration-records.ts';
import type { Database, Item, Write } from './database.ts';
import { isOpen, organizationOf, withoutKeys } from './directory-items.ts';
import { keys, prefixes, SITE, subjectPartition, type TokenSubject } from './keys.ts';

/** What a token is known by before it is made: its text stays with who asked for it. */
export type NewToken = Pick<Token, 'id' | 'digest' | 'description'> & { readonly expiresAt?: number };

/** Whose a new token is: a user by name, a team by name or id, an organization, or nobody's: a site administrator's. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'team'; readonly organization: string; readonly team: string }
  | { readonly kind: 'organization'; readonly organization: string }
  | { readonly kind: 'site' };

export type OrganizationSettings = Pick<
  Organization,
  'email' | 'defaultExecutionMode' | 'defaultAgentPool' | 'allowForceDeleteWorkspaces' | 'assessmentsEnforced' | 'plan'
>;

export interface NewOrganization extends OrganizationSettings {
  readonly name: string;
  /** Name of an agent pool to make with it. */
  readonly defaultAgentPool: string | null;
  /** Username of the first owner; left out, it is taken from the e-mail address. */
  readonly owner?: string;
  /** To make for the owner, where one is wanted. */
  readonly token?: NewToken;
}

export interface CreatedOrganization {
  readonly organization: Organization;
  /** The first owner; undefined where the organization was there before. */
  readonly owner?: User;
}

export type UserChange = Partial<Pick<User, 'email' | 'serviceAccount'>> & { readonly newUsername?: string };

/** A rename changes the name on every token of the subject, two items each, and a transaction holds 100. */
const MOST_TOKENS = 40;

export const userOf = (item: Item): User => withoutKeys(item) as unknown as User;

export const noUser = (username: string) => notFound(`There is no user ${username}.`);

/**
 * Writes of the directory: organizations, users, memberships and tokens. Every change that must be whole is one
 * transaction, so that a crash leaves nothing half made; every one can be repeated.
 */
export const openAdministration = (database: Database, clock: Clock) => {
  const table: Table = { database, clock };
  const records = openRecords(table);

  const findOrganizationItem = (name: string): Promise<Item | undefined> => database.get(keys.organization(name), true);

  /** The item of a user, closing or not. */
  const findUserItem = async (username: string): Promise<Item | undefined> => {
    const claim = await database.get(keys.username(username), true);
    return claim && (await database.get(keys.user(String(claim['id'])), true));
  };

  const getUser = async (username: string): Promise<User> => {
    const item = await findUserItem(username);
    if (!isOpen(item)) throw noUser(username);
    return userOf(item);
  };

  /** The user of that name as they are, or the writes that make one. */
  const userFor = async (user: User): Promise<Plan<User>> => {
    const item = await findUserItem(user.username);
    if (item === undefined) return { writes: unguarded(userWrites(user)), result: user };
    if (!isOpen(item)) throw beingDeleted('user');
    return { writes: [{ write: check(keys.user(String(item['id']))) }], result: userOf(item) };
  };

  /** One transaction: organization, default project, owners team, default pool, the owner and their token. */
  const createOrganization = (request: NewOrganization): Promise<CreatedOrganization> => {
    const { name, owner: givenName, token, defaultAgentPool: pool, ...settings } = request;
    const username = givenName ?? usernameOf(settings.email);
    if (settings.defaultExecutionMode === 'agent' && pool === null) throw poolMissing();
    const fresh = () => base58(16);
    const externalId = ids.organization + fresh();
    const own = { project: ids.project + fresh(), team: ids.team + fresh(), user: ids.user + fresh() };
    const agentPool = pool === null ? null : ids.agentPool + fresh();

    return commit(table, async (createdAt) => {
      const item = await findOrganizationItem(name);
      if (item !== undefined && !isOpen(item)) throw beingDeleted('organization');
      if (item !== undefined && item['externalId'] !== externalId) {
        return done({ organization: organizationOf(item) });
      }
      const owner = await userFor({ id: own.user, username, email: settings.email, serviceAccount: false, createdAt });
      // Who is only called alike must not come to own it.
      if (givenName === undefined && owner.result.email !== settings.email) throw ownerUnclear(username);
      // This request's own, its answer lost.
      if (item !== undefined) return done({ organization: organizationOf(item), owner: owner.result });

      const organization = organizationItem({
        ...settings,
        name,
        externalId,
        createdAt,
        defaultProject: own.project,
        ownersTeam: own.team,
        defaultAgentPool: agentPool,
        access: { [own.team]: 'owners' },
      });
      const project: Project = {
        id: own.project,
        organization: name,
        name: DEFAULT_PROJECT,
        description: null,
        createdAt,
        defaultExecutionMode: null,
        defaultAgentPool: null,
        access: {},
        bindings: [],
      };
      const team: Team = {
        id: own.team,
        organization: name,
        name: OWNERS_TEAM,
        visibility: 'secret',
        permissions: 'owners',
        createdAt,
      };
      const writes = [
        organization,
        ...recordWrites('project', project, createdAt),
        ...recordWrites('team', team, createdAt),
        ...(pool !== null && agentPool !== null
          ? recordWrites('agentPool', { id: agentPool, organization: name, name: pool, createdAt }, createdAt)
          : []),
        ...membershipWrites(owner.result.id, name, own.team, createdAt),
        ...(token === undefined
          ? []
          : tokenWrites({ ...token, subject: { kind: 'user', id: owner.result.id }, name: username, createdAt })),
      ];
      return {
        writes: [...unguarded(writes), ...owner.writes],
        result: { organization: organizationOf(organization.item ?? {}), owner: owner.result },
      };
    });
  };

  /**
   * Changes settings; the pool is named, or null.
   * @throws DomainError 404; 422 for a pool that is not there, or agent mode without one.
   */
  const updateOrganization = async (name: string, settings: Partial<OrganizationSettings>): Promise<Organization> => {
    await commit(table, async () => {
      const item = await findOrganizationItem(name);
      if (!isOpen(item)) throw noOrganization();
      const { defaultExecutionMode: mode, defaultAgentPool: pool } = organizationOf(item);
      const chosen = await findPool(name, settings.defaultAgentPool);
      const defaults = {
        defaultExecutionMode: settings.defaultExecutionMode ?? mode,
        defaultAgentPool: chosen === undefined ? pool : chosen.id,
      };
      if (defaults.defaultExecutionMode === 'agent' && defaults.defaultAgentPool === null) throw poolMissing();
      const asSeen = all(OPEN, equals('defaultExecutionMode', mode), equals('defaultAgentPool', pool));
      const change = { set: { ...settings, ...defaults } };
      return {
        writes: [{ write: update(keys.organization(name), change, asSeen) }, ...(chosen?.writes ?? [])],
        result: undefined,
      };
    });
    return getOrganization(name);
  };

  const getOrganization = async (name: string): Promise<Organization> => {
    const item = await findOrganizationItem(name);
    if (!isOpen(item)) throw noOrganization();
    return organizationOf(item);
  };

  /** A pool by name or id, and the check that it is still there; undefined where none is spoken of. */
  const findPool = async (
    organization: string,
    nameOrId: string | null | undefined,
  ): Promise<{ readonly id: string | null; readonly writes: readonly Guarded[] } | undefined> => {
    if (nameOrId === undefined) return undefined;
    if (nameOrId === null) return { id: null, writes: [] };
    const pool = await records.find('agentPool', organization, nameOrId);
    if (pool === undefined) throw noPool();
    return { id: pool.id, writes: [{ write: check(keys.record('agentPool', pool.id)), refusal: noPool }] };
  };

  const createUser = (user: Pick<User, 'username' | 'email' | 'serviceAccount'>) => {
    const id = ids.user + base58(16);
    return commit(table, async (createdAt) => {
      const { writes, result } = await userFor({ ...user, id, createdAt });
      if (result.id === id) return { writes, result: { record: result, created: true } };
      // The first attempt's id, its answer lost, or another's user.
      return done({ record: result, created: false });
    });
  };

  /** Renamed, every token of the user carries the new name with it. */
  const updateUser = async (username: string, { newUsername, ...change }: UserChange): Promise<User> => {
    const { id } = await getUser(username);
    const key = keys.user(id);
    await commit(table, async () => {
      const item = await database.get(key, true);
      if (!isOpen(item)) throw noUser(username);
      const { username: name } = userOf(item);
      const renamed = newUsername !== undefined && newUsername !== name ? newUsername : undefined;
      const set = { ...change, ...(renamed !== undefined && { username: renamed }) };
      if (Object.keys(set).length === 0) return done(undefined);
      const own = equals('id', id);
      const writes: Guarded[] = [{ write: update(key, { set }, all(OPEN, equals('username', name))) }];
      if (renamed !== undefined) {
        writes.push(
          { write: remove(keys.username(name), own) },
          { write: put(keys.username(renamed), 'username', { id }), refusal: nameTaken },
          ...(await tokenRenames({ kind: 'user', id }, renamed)),
        );
      }
      return { writes, result: undefined };
    });
    const item = await database.get(key, true);
    if (item === undefined) throw noUser(username);
    return userOf(item);
  };

  const tokensOf = (subject: TokenSubject): Promise<Item[]> =>
    database.query({ partition: subjectPartition(subject), beginsWith: prefixes.tokens, consistent: true });

  /** The writes that put a subject's new name on its tokens. */
  const tokenRenames = async (subject: TokenSubject, name: string): Promise<Guarded[]> => {
    const tokens = await tokensOf(subject);
    if (tokens.length > MOST_TOKENS) {
      throw conflict(`There are ${tokens.length} tokens in its name, and at most ${MOST_TOKENS} can take a new one.`);
    }
    const change: Change = { set: { name } };
    return unguarded(
      tokens.flatMap(({ id, digest }) => [
        update(keys.token(String(digest)), change, exists('pk')),
        update(keys.tokenOf(subject, String(id)), change, exists('pk')),
      ]),
    );
  };

  /** @returns whether the user was not in the team before. */
  const addMember = (organization: string, teamName: string, username: string) => {
    let attempted = false;
    return commit(table, async (now) => {
      const team = await records.get('team', organization, teamName);
      const user = await getUser(username);
      const result = { team, user, created: true };
      const held = await database.get(keys.member(team.id, user.id), true);
      if (held !== undefined) return done({ ...result, created: attempted });
      attempted = true;
      return {
        writes: [
          ...unguarded(membershipWrites(user.id, organization, team.id, now)),
          { write: check(keys.team(team.id)) },
          { write: check(keys.user(user.id)) },
        ],
        result,
      };
    });
  };

  /** The members of a team but one. */
  const othersIn = async (team: string, user: string): Promise<string[]> => {
    const { pk: partition } = keys.team(team);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    return items.map((item) => String(item['user'])).filter((member) => member !== user);
  };

  const removeMember = (organization: string, teamName: string, username: string) =>
    commit(table, async () => {
      const team = await records.get('team', organization, teamName);
      const user = await getUser(username);
      const writes = membershipRemovals(user.id, organization, team.id);
      if (team.name === OWNERS_TEAM) {
        const [other] = await othersIn(team.id, user.id);
        if (other === undefined) throw lastOwner(organization);
        // Of two owners who remove each other at once, one finds the other gone.
        writes.push(check(keys.member(team.id, other)));
      }
      return { writes: unguarded(writes), result: { team, user } };
    });

  /** The subject of a new token, and what must still be so of it when the token is made. */
  const planToken = async (
    owner: TokenOwner,
    id: string,
  ): Promise<Pick<Token, 'subject' | 'name' | 'organization'> & { readonly writes: readonly Write[] }> => {
    switch (owner.kind) {
      case 'user': {
        const { id: user, username } = await getUser(owner.username);
        const asSeen = all(OPEN, equals('username', username));
        return { subject: { kind: 'user', id: user }, name: username, writes: [check(keys.user(user), asSeen)] };
      }
      case 'team': {
        const { organization } = owner;
        const { id: team, name } = await records.get('team', organization, owner.team);
        const asSeen = all(OPEN, equals('name', name));
        return { subject: { kind: 'team', id: team }, name, organization, writes: [check(keys.team(team), asSeen)] };
      }
      case 'organization': {
        const { organization } = owner;
        const item = await findOrganizationItem(organization);
        if (!isOpen(item)) throw noOrganization();
        const previous = item['token'] as string | undefined;
        const replaced: Condition = previous === undefined ? absent('token') : equals('token', previous);
        return {
          subject: { kind: 'organization', id: organization },
          name: organization,
          organization,
          writes: [
            update(keys.organization(organization), { set: { token: id } }, all(OPEN, replaced)),
            ...(previous === undefined ? [] : await revocation(previous)),
          ],
        };
      }
      case 'site':
        return { subject: SITE, name: SITE.id, writes: [] };
    }
  };

  const revocation = async (id: string): Promise<Write[]> => {
    const pointer = await database.get(keys.pointer(id), true);
    if (pointer === undefined) return [];
    return tokenRemovals({ id, digest: String(pointer['digest']), subject: tokenSubjectOf(pointer) });
  };

  /** An organization has one token: a new one takes the place of the one before. */
  const createToken = (owner: TokenOwner, token: NewToken): Promise<void> =>
    commit(table, async (createdAt) => {
      if ((await database.get(keys.pointer(token.id), true)) !== undefined) return done(undefined);
      const { writes, ...whose } = await planToken(owner, token.id);
      return { writes: unguarded([...tokenWrites({ ...token, ...whose, createdAt }), ...writes]), result: undefined };
    });

  /** @throws DomainError 404 when there is no such token. */
  const revokeToken = (id: string): Promise<void> => {
    let attempted = false;
    return commit(table, async () => {
      const pointer = await database.get(keys.pointer(id), true);
      if (pointer === undefined && !attempted) throw notFound(`There is no token ${id}.`);
      if (pointer === undefined) return done(undefined);
      attempted = true;
      const subject = tokenSubjectOf(pointer);
      const held = subject.kind === 'organization' ? await findOrganizationItem(subject.id) : undefined;
      return {
        writes: unguarded([
          ...(await revocation(id)),
          ...(held?.['token'] === id
            ? [update(keys.organization(subject.id), { remove: ['token'] }, equals('token', id))]
            : []),
        ]),
        result: undefined,
      };
    });
  };

  return {
    table,
    records,
    findOrganizationItem,
    findUserItem,
    findPool,
    getOrganization,
    createOrganization,
    updateOrganization,
    createUser,
    updateUser,
    tokensOf,
    tokenRenames,
    addMember,
    removeMember,
    othersIn,
    createToken,
    revokeToken,
    findTokenId: async (digest: string): Promise<string | undefined> => {
      const item = await database.get(keys.token(digest), true);
      return item && String(item['id']);
    },
  };
};

export type Administration = ReturnType<typeof openAdministration>;

export const lastOwner = (organization: string) =>
  conflict(`The organization ${organization} would have no owner. Add another to its owners team first.`);
const ownerUnclear = (username: string) =>
  invalid('owner', `Owner must be named: the user ${username} has another e-mail address`);
export const noPool = () => invalid('default-agent-pool-id', 'Agent pool does not exist in this organization');
export const poolMissing = () =>
  invalid('default-agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
