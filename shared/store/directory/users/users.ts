import { all, equals } from '../../../domain/changes/conditions.ts';
import { type User, usernameOf } from '../../../domain/directory/records.ts';
import { invalid, notFound } from '../../../domain/errors.ts';
import { limits } from '../../../domain/limits.ts';
import { base58, newId } from '../../../lib/random.ts';
import type { Item } from '../../dynamodb/item.ts';
import { emailPartition, keys } from '../../dynamodb/keys.ts';
import { isOpen, withoutKeys } from '../../items/directory-items.ts';
import { check, emailWrite, type Guarded, OPEN, put, remove, update, userWrites } from '../../items/record-items.ts';
import { commit, done, type Plan, type RecordingTable, unguarded } from '../records/commit.ts';
import { requireRevision, revisionBy } from '../records/edit.ts';
import { tokenRenames } from '../tokens/tokens.ts';

export type UserChange = Partial<Pick<User, 'email' | 'unconfirmedEmail' | 'serviceAccount' | 'siteAdmin'>> & {
  readonly newUsername?: string;
};

/** Converts a stored item to a user. */
export const userOf = (item: Item): User => withoutKeys(item) as unknown as User;

/** Creates the 404 error for an unknown username. */
export const noUser = (username: string) => notFound(`There is no user ${username}.`);

const usernameTaken = () => invalid('username', 'Name has already been taken');

/** Opens the changes of users, who belong to the deployment (ORG-13). All reads are strongly consistent. */
export const openUsers = (table: RecordingTable) => {
  const { database, request } = table;

  /** Finds the item of a user, also while it is closing. */
  const findUserItem = async (username: string): Promise<Item | undefined> => {
    const claim = await database.get(keys.username(username), true);
    return claim && (await database.get(keys.user(String(claim['id'])), true));
  };

  const getUser = async (username: string): Promise<User> => {
    const item = await findUserItem(username);
    if (!isOpen(item)) throw noUser(username);
    return userOf(item);
  };

  /** Plans to use the user of that id. @throws DomainError 404. */
  const userWithId = async (id: string): Promise<Plan<User>> => {
    const item = await database.get(keys.user(id), true);
    if (!isOpen(item)) throw notFound();
    return { writes: [{ write: check(keys.user(id)) }], result: userOf(item) };
  };

  /** Plans to use the user of that name, or to create it. */
  const userFor = async (user: User): Promise<Plan<User>> => {
    const item = await findUserItem(user.username);
    if (item === undefined) return { writes: unguarded(userWrites(user)), result: user };
    if (!isOpen(item)) throw invalid('username', 'Name has already been taken');
    return { writes: [{ write: check(keys.user(String(item['id']))) }], result: userOf(item) };
  };

  const findByEmail = async (email: string): Promise<readonly Item[]> => {
    const found = await database.query({ partition: emailPartition(email), consistent: true });
    const items = await database.getAll(
      found.map(({ user }) => keys.user(String(user))),
      true,
    );
    return items.filter(isOpen);
  };

  /**
   * Plans to give the only invited user with the e-mail address its username, or to create a user.
   * @param user the user to create, with a new id.
   */
  const acceptOrCreate = async (user: User): Promise<Plan<User>> => {
    const [item, another] = (await findByEmail(user.email)).filter(({ invited }) => invited === true);
    if (item === undefined || another !== undefined) return { writes: unguarded(userWrites(user)), result: user };
    const { invited: _, ...known } = userOf(item);
    const { username, serviceAccount, siteAdmin } = user;
    const set = { username, serviceAccount, ...(siteAdmin !== undefined && { siteAdmin }) };
    const stillInvited = all(OPEN, equals('invited', true), equals('username', known.username));
    return {
      writes: [
        { write: update(keys.user(known.id), { set, remove: ['invited'] }, stillInvited) },
        { write: remove(keys.username(known.username), equals('id', known.id)) },
        { write: put(keys.username(username), 'username', { id: known.id }), refusal: usernameTaken },
      ],
      result: { ...known, ...set },
    };
  };

  /**
   * Plans to use the only user with the e-mail address, or to create one with a username from its local part.
   * @throws DomainError 422 when several users have the address.
   */
  const userWithEmail = async (
    email: string,
    { id, ...more }: Pick<User, 'id' | 'createdAt' | 'invited'>,
  ): Promise<Plan<User>> => {
    const [item, another] = await findByEmail(email);
    if (another !== undefined) throw invalid('email', 'Email belongs to several users: name one by the username');
    if (item !== undefined) return { writes: [{ write: check(keys.user(String(item['id']))) }], result: userOf(item) };
    const name = usernameOf(email);
    const isTaken = (await findUserItem(name)) !== undefined;
    const username = isTaken ? `${name.slice(0, limits.username - 5)}-${base58(4)}` : name;
    const user: User = { id, username, email, serviceAccount: false, ...more };
    return { writes: unguarded(userWrites(user)), result: user };
  };

  const createUser = (user: Pick<User, 'username' | 'email' | 'serviceAccount' | 'siteAdmin'>) => {
    const id = newId('user', request());
    let own: string | undefined;
    return commit(table, async (createdAt) => {
      const item = await findUserItem(user.username);
      if (item === undefined) {
        const { writes, result } = await acceptOrCreate({ ...user, id, createdAt });
        own = result.id;
        return { writes, result: { record: result, created: true } };
      }
      if (!isOpen(item)) throw usernameTaken();
      const record = userOf(item);
      // An earlier attempt of this request created the user, and its response was lost.
      if (record.id === own) return done({ record, created: true });
      const isAccepted = record.invited && emailPartition(record.email) === emailPartition(user.email);
      if (!isAccepted) return done({ record, created: false });
      const { invited: _, ...accepted } = record;
      const write = update(keys.user(record.id), { remove: ['invited'] }, all(OPEN, equals('username', user.username)));
      return { writes: unguarded([write]), result: { record: accepted, created: true } };
    });
  };

  /** Updates a user. The new username is also written to every token of the user, in the same transaction. */
  const updateUser = async (username: string, { newUsername, ...change }: UserChange): Promise<User> => {
    const { id } = await getUser(username);
    const key = keys.user(id);
    const context = request();
    const revision = revisionBy(context);
    await commit(table, async (_, isInDoubt) => {
      const item = await database.get(key, true);
      if (!isOpen(item)) throw noUser(username);
      const before = userOf(item);
      // An earlier attempt of this request was applied, and its response was lost.
      if (before.revision === revision) return done(undefined);
      const asAccepted = requireRevision(context.precondition, before, isInDoubt);
      const { username: name, email } = before;
      const renamed = newUsername !== undefined && newUsername !== name ? newUsername : undefined;
      const confirmed = change.email === undefined ? {} : { unconfirmedEmail: null };
      const set = { ...confirmed, ...change, ...(renamed !== undefined && { username: renamed }) };
      if (Object.keys(set).length === 0) return done(undefined);
      const own = equals('id', id);
      const confirms = change.email === undefined ? [] : ['invited'];
      const unchanged = all(OPEN, equals('username', name), asAccepted);
      const revised = { set: { ...set, revision }, remove: confirms };
      const writes: Guarded[] = [{ write: update(key, revised, unchanged) }];
      if (renamed !== undefined) {
        writes.push(
          { write: remove(keys.username(name), own) },
          { write: put(keys.username(renamed), 'username', { id }), refusal: usernameTaken },
          ...(await tokenRenames(database, { kind: 'user', id }, renamed)),
        );
      }
      if (change.email !== undefined && emailPartition(change.email) !== emailPartition(email)) {
        writes.push(...unguarded([remove(keys.email(email, id)), emailWrite({ id, email: change.email })]));
      }
      return { writes, result: undefined };
    });
    const item = await database.get(key, true);
    if (item === undefined) throw noUser(username);
    return userOf(item);
  };

  const findUserId = async (username: string): Promise<string | undefined> => {
    const item = await findUserItem(username);
    return item && String(item['id']);
  };

  return { findUserItem, findUserId, getUser, userFor, userWithEmail, userWithId, createUser, updateUser };
};

export type Users = ReturnType<typeof openUsers>;
