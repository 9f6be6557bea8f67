import { absent, all, type Change, type Condition, equals, exists } from '../domain/conditions.ts';
import type { User } from '../domain/directory.ts';
import { conflict, notFound } from '../domain/errors.ts';
import { commit, done, type Table, unguarded } from './administration-commit.ts';
import {
  check,
  type Guarded,
  OPEN,
  type Token,
  tokenRemovals,
  tokenSubjectOf,
  tokenWrites,
  update,
} from './administration-items.ts';
import { noOrganization, type RecordStore } from './administration-records.ts';
import type { Database, Item, Write } from './database.ts';
import { isOpen } from './directory-items.ts';
import { keys, prefixes, SITE, subjectPartition, type TokenSubject } from './keys.ts';

/** What a token is known by before it is made: its text stays with who asked for it. */
export type NewToken = Pick<Token, 'id' | 'digest' | 'description'> & { readonly expiresAt?: number };

/** Whose a new token is: a user by name, a team by name or id, an organization, or nobody's: a site administrator's. */
export type TokenOwner =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'team'; readonly organization: string; readonly team: string }
  | { readonly kind: 'organization'; readonly organization: string }
  | { readonly kind: 'site' };

/** A rename changes the name on every token of the subject, two items each, and a transaction holds 100. */
const MOST_TOKENS = 40;

const tokensIn = (database: Database, subject: TokenSubject): Promise<Item[]> =>
  database.query({ partition: subjectPartition(subject), beginsWith: prefixes.tokens, consistent: true });

/** The writes that put a subject's new name on its tokens. */
export const tokenRenames = async (database: Database, subject: TokenSubject, name: string): Promise<Guarded[]> => {
  const tokens = await tokensIn(database, subject);
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

/** Tokens of users, teams, organizations and the site. All reads are strong. */
export const openTokens = (table: Table, records: RecordStore, getUser: (username: string) => Promise<User>) => {
  const { database } = table;

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
        const item = await database.get(keys.organization(organization), true);
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
      const held =
        subject.kind === 'organization' ? await database.get(keys.organization(subject.id), true) : undefined;
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
