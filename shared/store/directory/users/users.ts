import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { type User, usernameOf } from '../../../domain/directory/records.ts';
import { isOpen, type Plan, type Stored } from '../../../domain/directory/transitions/plan.ts';
import type { Created } from '../../../domain/directory/transitions/records.ts';
import {
  createUser,
  type NewUser,
  noUser,
  type UserChange,
  updateUser,
  useOrInvite,
} from '../../../domain/directory/transitions/users.ts';
import { base58, newId } from '../../../lib/random.ts';
import { emailPartition, type Item, keys } from '../../dynamodb/keys.ts';
import { storedOf } from '../../items/record-items.ts';
import { apply, type Table } from '../records/commit.ts';
import { findTokens } from '../tokens/token-reader.ts';

/** Number of characters that distinguish usernames from the same local part of an e-mail address. */
const SUFFIX = 4;

/** Opens the changes of users, who belong to the deployment (ORG-13). All reads are strongly consistent. */
export const openUsers = (table: Table) => {
  const { database } = table;

  const storedUser = (item: Item | undefined): Stored<'user'> | undefined => item && storedOf('user', item);

  const findUserById = async (id: string): Promise<Stored<'user'> | undefined> =>
    storedUser(await database.get(keys.user(id), true));

  /** Finds a user, also while it is closing. */
  const findUser = async (username: string): Promise<Stored<'user'> | undefined> => {
    const claim = await database.get(keys.username(username), true);
    return claim && findUserById(String(claim['id']));
  };

  const getUser = async (username: string): Promise<User> => {
    const stored = await findUser(username);
    if (!isOpen(stored)) throw noUser(username);
    return stored.record;
  };

  const findByEmail = async (email: string): Promise<readonly User[]> => {
    const found = await database.query({ partition: emailPartition(email), consistent: true });
    const items = await database.getAll(
      found.map(({ user }) => keys.user(String(user))),
      true,
    );
    return items
      .map((item) => storedOf('user', item))
      .filter(isOpen)
      .map(({ record }) => record);
  };

  /** Plans to use the only user with an e-mail address, or to create one. @throws DomainError 422 if several have it. */
  const planInvited = async (user: Omit<User, 'username' | 'serviceAccount'>): Promise<Plan<User>> => {
    const found = await findByEmail(user.email);
    const isTaken = found.length === 0 && (await findUser(usernameOf(user.email))) !== undefined;
    return useOrInvite(found, user, isTaken ? base58(SUFFIX) : undefined);
  };

  return {
    find: findUser,
    findById: findUserById,
    /** Finds the users with an e-mail address. */
    findByEmail,
    /** @throws DomainError 404 when there is none, or it is being deleted. */
    get: getUser,
    planInvited,
    /** Finds the id of the user with a username, also while that user is closing. */
    findId: async (username: string): Promise<string | undefined> =>
      (await database.get(keys.username(username), true))?.['id'] as string | undefined,

    create: (request: RequestContext, user: NewUser): Promise<Created<User>> => {
      const id = newId('user', request);
      return apply<Created<User>>(table, request, async (attempt) => {
        const stored = await findUser(user.username);
        const withEmail = stored === undefined ? await findByEmail(user.email) : [];
        return createUser(attempt, stored, withEmail, { ...user, id, createdAt: attempt.at });
      });
    },

    /** Updates a user. The new username is also written to every token of the user, in the same transaction. */
    update: async (request: RequestContext, username: string, change: UserChange): Promise<User> => {
      const { id } = await getUser(username);
      await apply(table, request, async (attempt) => {
        const stored = await findUserById(id);
        if (!isOpen(stored)) throw noUser(username);
        const { newUsername = stored.record.username } = change;
        const isRenamed = newUsername !== stored.record.username;
        const tokens = isRenamed ? await findTokens(database, { kind: 'user', id }) : [];
        // Tokens of sessions live for an hour at most, and the next one has the new name.
        const renamed = tokens.filter(({ session }) => session === undefined);
        return updateUser(attempt, stored.record, change, renamed);
      });
      const stored = await findUserById(id);
      if (stored === undefined) throw noUser(username);
      return stored.record;
    },
  };
};

export type Users = ReturnType<typeof openUsers>;
