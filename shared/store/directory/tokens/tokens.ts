import { absent, all, type Change, type Condition, equals, exists } from '../../../domain/changes/conditions.ts';
import type { User } from '../../../domain/directory/records.ts';
import type { NewToken, Token, TokenSubject } from '../../../domain/directory/tokens.ts';
import { noOrganization, noRecord } from '../../../domain/directory/transitions/records.ts';
import { conflict, invalid, notFound } from '../../../domain/errors.ts';
import { base58 } from '../../../lib/random.ts';
import type { Database } from '../../dynamodb/database.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, prefixes, SITE, subjectPartition } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { isOpen } from '../../items/directory-items.ts';
import {
  check,
  type Guarded,
  OPEN,
  remove,
  tokenOf,
  tokenRevocation,
  tokenSubjectOf,
  tokenWrites,
  update,
} from '../../items/record-items.ts';
import { commit, done, type RecordingTable, unguarded } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';

/**
 * The owner of a new token: a user, a team (by name or id), an organization, an agent pool, or the site administrators.
 * An organization has one token, and one that reads its audit trails. A team has a single token and any number of
 * additional ones. A new single token replaces the old one.
 */
export type TokenOwner =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'team'; readonly organization: string; readonly team: string; readonly single?: true }
  | { readonly kind: 'organization' | 'audit-trails'; readonly organization: string }
  | { readonly kind: 'agentPool'; readonly organization: string; readonly id: string }
  | { readonly kind: 'site' };

/** A created token, and the digest of the token that it replaced. */
export interface CreatedToken {
  readonly token: Token;
  readonly replaced?: string;
}

/** A rename changes the name on every token of the subject, two items each, and a transaction holds 100. */
const MOST_TOKENS = 40;

const tokensIn = async (database: Database, subject: TokenSubject): Promise<Item[]> => {
  const items = await database.query({
    partition: subjectPartition(subject),
    beginsWith: prefixes.tokens,
    consistent: true,
  });
  // A revoked token leaves a tombstone for a while.
  return items.filter(isOpen);
};

/** Lists the tokens of a subject with strong consistency. */
export const findTokens = async (database: Database, subject: TokenSubject): Promise<Token[]> =>
  (await tokensIn(database, subject)).map(tokenOf);

/** Builds the writes that rename a subject on its tokens. @throws DomainError 409 when it has too many tokens. */
const tokenRenames = async (database: Database, subject: TokenSubject, name: string): Promise<Guarded[]> => {
  const tokens = await tokensIn(database, subject);
  if (tokens.length > MOST_TOKENS) {
    throw conflict(
      `The name cannot change while there are more than ${MOST_TOKENS} tokens. There are ${tokens.length}: delete some first.`,
    );
  }
  const change: Change = { set: { name } };
  return unguarded(
    tokens.flatMap(({ id, digest }) => [
      update(keys.token(String(digest)), change, exists('pk')),
      update(keys.tokenOf(subject, String(id)), change, exists('pk')),
    ]),
  );
};

/** The subject of a new token, and the writes that its own are combined with. */
interface TokenPlan extends Pick<Token, 'subject' | 'name'>, Partial<Pick<Token, 'organization'>> {
  readonly writes: readonly Write[];
  readonly replaced?: string | undefined;
}

/** The item and its attribute that hold the id of a single token, by the kind and the id of the subject. */
const placesOfSingleTokens = {
  organization: (name: string) => ({ key: keys.organization(name), attribute: 'token' }),
  'audit-trails': (name: string) => ({ key: keys.organization(name), attribute: 'auditToken' }),
  team: (id: string) => ({ key: keys.team(id), attribute: 'token' }),
} as const;

interface SingleTokenSubject extends TokenSubject {
  readonly kind: keyof typeof placesOfSingleTokens;
}

const hasSingleToken = (subject: TokenSubject): subject is SingleTokenSubject => subject.kind in placesOfSingleTokens;

/** Returns the place of a subject's single token. Users and the site have none. */
export const placeOfSingleToken = (subject: TokenSubject) =>
  hasSingleToken(subject) ? placesOfSingleTokens[subject.kind](subject.id) : undefined;

/** Creates the 409 error for a token that an earlier attempt of the request created, and whose text nobody knows. */
const createdBefore = (id: string) =>
  conflict('An earlier attempt of this request created a token, whose text is not stored. meta names it.', { id });

/** Opens the changes of tokens. All reads are strongly consistent. */
export const openTokens = (
  table: RecordingTable,
  records: RecordStore,
  getUser: (username: string) => Promise<User>,
) => {
  const { database, record, request } = table;

  const findPointer = (id: string): Promise<Item | undefined> => database.get(keys.pointer(id), true);

  const revocation = (id: string, pointer: Item, now: number): Write[] =>
    tokenRevocation(
      { id, digest: String(pointer['digest']), subject: tokenSubjectOf(pointer) },
      record('token.revoked', now),
    );

  /** Builds the writes that replace the single token of a subject, on condition that it is still the same. */
  const takePlace = async (
    subject: SingleTokenSubject,
    holder: Item,
    id: string,
    now: number,
    asSeen: Condition = all(),
  ): Promise<Pick<TokenPlan, 'writes' | 'replaced'>> => {
    const { key, attribute } = placesOfSingleTokens[subject.kind](subject.id);
    const previous = holder[attribute] as string | undefined;
    const isStill = previous === undefined ? absent(attribute) : equals(attribute, previous);
    const write = update(key, { set: { [attribute]: id } }, all(OPEN, asSeen, isStill));
    const pointer = previous === undefined ? undefined : await findPointer(previous);
    if (previous === undefined || pointer === undefined) return { writes: [write] };
    return { writes: [write, ...revocation(previous, pointer, now)], replaced: String(pointer['digest']) };
  };

  /**
   * Builds the write for a new additional token of a team. Descriptions are unique: tokens with a description are created
   * one after another, and each creation sees the earlier ones.
   * @throws DomainError 422 if another token of the team has the description.
   */
  const addToTeam = async (
    { id, tokenRevision: revision }: Item,
    description: string | null,
    asSeen: Condition,
  ): Promise<Write> => {
    const key = keys.team(String(id));
    if (description === null) return check(key, all(OPEN, asSeen));
    const tokens = await tokensIn(database, { kind: 'team', id: String(id) });
    if (tokens.some((token) => token['description'] === description)) {
      throw invalid('description', 'Description has already been taken');
    }
    const isStill = revision === undefined ? absent('tokenRevision') : equals('tokenRevision', String(revision));
    return update(key, { set: { tokenRevision: base58(8) } }, all(OPEN, asSeen, isStill));
  };

  const findUser = async (
    owner: Extract<TokenOwner, { kind: 'user' }>,
  ): Promise<Pick<User, 'id' | 'username' | 'invited'>> => {
    if ('username' in owner) return getUser(owner.username);
    const item = await database.get(keys.user(owner.id), true);
    if (!isOpen(item)) throw notFound();
    return { id: owner.id, username: String(item['username']), invited: item['invited'] === true };
  };

  /** Plans a token: finds its subject, with checks that the subject is unchanged when the token is written. */
  const planToken = async (owner: TokenOwner, { id, description }: NewToken, now: number): Promise<TokenPlan> => {
    switch (owner.kind) {
      case 'user': {
        const { id: user, username, invited } = await findUser(owner);
        const asSeen = all(OPEN, equals('username', username));
        // Who has a token is no longer only invited (ORG-9).
        const write = invited
          ? update(keys.user(user), { remove: ['invited'] }, asSeen)
          : check(keys.user(user), asSeen);
        return { subject: { kind: 'user', id: user }, name: username, writes: [write] };
      }
      case 'team': {
        const { organization, single } = owner;
        const item = await records.findItem('team', organization, owner.team);
        if (!isOpen(item)) throw noRecord('team', owner.team);
        const [team, name] = [String(item['id']), String(item['name'])];
        const owned = { subject: { kind: 'team', id: team }, name, organization } as const;
        const asSeen = equals('name', name);
        if (single) return { ...owned, ...(await takePlace(owned.subject, item, id, now, asSeen)) };
        return { ...owned, writes: [await addToTeam(item, description, asSeen)] };
      }
      case 'organization':
      case 'audit-trails': {
        const { kind, organization: name } = owner;
        const key = keys.organization(name);
        const item = await database.get(key, true);
        if (!isOpen(item)) throw noOrganization();
        const owned = { subject: { kind, id: name }, name, organization: name } as const;
        return { ...owned, ...(await takePlace(owned.subject, item, id, now)) };
      }
      case 'agentPool': {
        const { organization, id: pool } = owner;
        const found = await records.findById('agentPool', pool, true);
        if (found?.organization !== organization) throw noRecord('agentPool', pool);
        // The name of a pool is not on its tokens, so renaming it changes none of them.
        const subject = { kind: 'agentPool', id: pool } as const;
        return { subject, name: pool, organization, writes: [check(keys.record('agentPool', pool))] };
      }
      case 'site':
        return { subject: SITE, name: SITE.id, writes: [] };
    }
  };

  const createToken = (owner: TokenOwner, token: NewToken): Promise<CreatedToken> => {
    let created: CreatedToken | undefined;
    return commit(table, async (createdAt) => {
      // The id is unique to this request: an earlier attempt created it without a response.
      if (created !== undefined && (await findPointer(token.id)) !== undefined) return done(created);
      const { writes, replaced, ...owned } = await planToken(owner, token, createdAt);
      const whole = { ...token, ...owned, createdAt };
      created = { token: whole, ...(replaced !== undefined && { replaced }) };
      const own = tokenWrites(whole, record('token.created', createdAt)).map((write) => ({
        write,
        ...(request().attempt === 'resumed' && { refusal: () => createdBefore(token.id) }),
      }));
      return { writes: [...own, ...unguarded(writes)], result: created };
    });
  };

  /**
   * Revokes a token.
   * @returns the digest, for removal from caches.
   * @throws DomainError 404 when there is no such token.
   */
  const revokeToken = (id: string): Promise<string> => {
    let digest: string | undefined;
    return commit(table, async (now) => {
      const pointer = await findPointer(id);
      if (pointer === undefined && digest !== undefined) return done(digest);
      if (pointer === undefined) throw notFound(`There is no token ${id}.`);
      digest = String(pointer['digest']);
      const place = placeOfSingleToken(tokenSubjectOf(pointer));
      const holder = place && (await database.get(place.key, true));
      const release =
        place !== undefined && holder?.[place.attribute] === id
          ? [update(place.key, { remove: [place.attribute] }, equals(place.attribute, id))]
          : [];
      return { writes: unguarded([...revocation(id, pointer, now), ...release]), result: digest };
    });
  };

  /** Revokes the token of a run. @throws DomainError 404 when there is no such token. */
  const revokeRunToken = (digest: string): Promise<void> => {
    let isFound = false;
    return commit(table, async () => {
      const key = keys.token(digest);
      const item = await database.get(key, true);
      if (item === undefined && isFound) return done(undefined);
      if (item?.['ty'] !== 'run-token') throw notFound('There is no token like that.');
      isFound = true;
      return { writes: unguarded([remove(key, equals('ty', 'run-token'))]), result: undefined };
    });
  };

  return {
    revokeRunToken,
    tokensOf: (subject: TokenSubject) => tokensIn(database, subject),
    tokenRenames: (subject: TokenSubject, name: string) => tokenRenames(database, subject, name),
    createToken,
    revokeToken,
    findTokenId: async (digest: string): Promise<string | undefined> => {
      const item = await database.get(keys.token(digest), true);
      return item && String(item['id']);
    },
  };
};
