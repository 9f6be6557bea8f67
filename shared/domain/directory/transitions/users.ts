import { all, equals } from '../../changes/conditions.ts';
import { type DomainError, invalid, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type User, usernameOf } from '../records.ts';
import type { Token } from '../tokens.ts';
import { type Attempt, beginEdit, done, type Effect, isOpen, OPEN, type Plan, type Stored } from './plan.ts';
import type { Created } from './records.ts';
import { renameTokens } from './tokens.ts';

export type NewUser = Pick<User, 'username' | 'email' | 'serviceAccount' | 'siteAdmin'>;
export type UserChange = Partial<Pick<User, 'email' | 'unconfirmedEmail' | 'serviceAccount' | 'siteAdmin'>> & {
  readonly newUsername?: string;
};

/** Creates the 404 error for an unknown username. */
export const noUser = (username: string): DomainError => notFound(`There is no user ${username}.`);

const usernameTaken = (): DomainError => invalid('username', 'Name has already been taken');

/** E-mail addresses differ only in what is not the case of a letter. */
const isSameEmail = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const claimOf = ({ id, username: name }: Pick<User, 'id' | 'username'>) => ({ of: 'user', id, name }) as const;

/** Plans to use a user that exists. */
export const useUser = (user: User): Plan<User> => ({
  effects: [{ kind: 'require', of: { kind: 'user', id: user.id } }],
  result: user,
});

/** Plans to use the user with an id. @throws DomainError 404. */
export const useById = (stored: Stored<'user'> | undefined): Plan<User> => {
  if (!isOpen(stored)) throw notFound();
  return useUser(stored.record);
};

/** Plans the writes of a new user. */
export const createUserEffects = (user: User): Effect[] => [
  { kind: 'create', of: 'user', record: user },
  { kind: 'take-name', claim: claimOf(user) },
  { kind: 'add-email', user },
];

const create = (user: User): Plan<User> => ({ effects: createUserEffects(user), result: user });

/** Plans to use the user with the username, or to create it. @throws DomainError 422 while that user is being deleted. */
export const useOrCreate = (stored: Stored<'user'> | undefined, user: User): Plan<User> => {
  if (stored === undefined) return create(user);
  if (!isOpen(stored)) throw usernameTaken();
  return useUser(stored.record);
};

/**
 * Plans to use the only user with an e-mail address, or to create one with a username from the local part of the address.
 * @param found the users with the address.
 * @param suffix end of the username, where a user has the local part as username.
 * @throws DomainError 422 when several users have the address.
 */
export const useOrInvite = (
  [user, another]: readonly User[],
  invited: Omit<User, 'username' | 'serviceAccount'>,
  suffix?: string,
): Plan<User> => {
  if (another !== undefined) throw invalid('email', 'Email belongs to several users: name one by the username');
  if (user !== undefined) return useUser(user);
  const name = usernameOf(invited.email);
  const username = suffix === undefined ? name : `${name.slice(0, limits.username - suffix.length - 1)}-${suffix}`;
  return create({ ...invited, username, serviceAccount: false });
};

/** Plans to give the only invited user with the e-mail address its username, or to create a user. */
const acceptOrCreate = (withEmail: readonly User[], user: User): Plan<User> => {
  const [found, another] = withEmail.filter(({ invited }) => invited);
  if (found === undefined || another !== undefined) return create(user);
  const { invited: _, ...known } = found;
  const { username, serviceAccount, siteAdmin } = user;
  const set = { username, serviceAccount, ...(siteAdmin !== undefined && { siteAdmin }) };
  const condition = all(OPEN, equals('invited', true), equals('username', known.username));
  return {
    effects: [
      { kind: 'update', of: { kind: 'user', id: known.id }, change: { set, remove: ['invited'] }, condition },
      { kind: 'give-up-name', claim: claimOf(known) },
      { kind: 'take-name', claim: claimOf({ ...known, username }), rejection: usernameTaken },
    ],
    result: { ...known, ...set },
  };
};

/**
 * Plans the creation of a user. A user that was only invited, with the same e-mail address, becomes the created one (ORG-9).
 * @param stored the user with the username.
 * @param withEmail the users with the e-mail address, if no user has the username.
 */
export const createUser = (
  { previous }: Attempt<Created<User>>,
  stored: Stored<'user'> | undefined,
  withEmail: readonly User[],
  user: User,
): Plan<Created<User>> => {
  if (stored === undefined) {
    const { effects, result } = acceptOrCreate(withEmail, user);
    return { effects, result: { record: result, created: true } };
  }
  if (!isOpen(stored)) throw usernameTaken();
  const { record } = stored;
  // An earlier attempt of this request created the user, and its response was lost.
  if (previous?.created && record.id === previous.record.id && !record.invited) return done({ record, created: true });
  if (!record.invited || !isSameEmail(record.email, user.email)) return done({ record, created: false });
  const { invited: _, ...accepted } = record;
  const condition = all(OPEN, equals('username', user.username));
  const of = { kind: 'user', id: record.id } as const;
  return {
    effects: [{ kind: 'update', of, change: { remove: ['invited'] }, condition }],
    result: { record: accepted, created: true },
  };
};

/**
 * Plans a change of a user. A new username is also written to every token of the user.
 * @param tokens the tokens of the user, if the username changes.
 */
export const updateUser = (
  attempt: Attempt,
  before: User,
  { newUsername = before.username, ...change }: UserChange,
  tokens: readonly Token[],
): Plan<undefined> => {
  const { id, username, email } = before;
  const edit = beginEdit(attempt, before);
  if (edit === undefined) return done(undefined);
  const isRenamed = newUsername !== username;
  const set = {
    ...(change.email !== undefined && { unconfirmedEmail: null }),
    ...change,
    ...(isRenamed && { username: newUsername }),
  };
  if (Object.keys(set).length === 0) return done(undefined);
  const effects: Effect[] = [
    {
      kind: 'update',
      of: { kind: 'user', id },
      change: { set: { ...set, revision: edit.revision }, remove: change.email === undefined ? [] : ['invited'] },
      condition: all(OPEN, equals('username', username), edit.condition),
    },
  ];
  if (isRenamed) {
    effects.push(
      { kind: 'give-up-name', claim: claimOf(before) },
      { kind: 'take-name', claim: claimOf({ id, username: newUsername }), rejection: usernameTaken },
      ...renameTokens(tokens, newUsername),
    );
  }
  if (change.email !== undefined && !isSameEmail(change.email, email)) {
    effects.push({ kind: 'remove-email', user: before }, { kind: 'add-email', user: { id, email: change.email } });
  }
  return { effects, result: undefined };
};
