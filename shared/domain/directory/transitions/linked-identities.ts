import { absent, all, type Change, equals } from '../../changes/conditions.ts';
import { cutText } from '../../cut-text.ts';
import { limits } from '../../limits.ts';
import { type User, usernameOf } from '../records.ts';
import { type LinkedIdentity, linkedIdentityId, sourceOf } from '../sessions.ts';
import { type Attempt, done, type Effect, OPEN, type Plan, requireInService } from './plan.ts';
import { recordOnMembership } from './sessions.ts';
import { createUserEffects } from './users.ts';

/** Users who sign in at an identity provider. Only issuer and subject identify them (SESSION-4). */

/** The parts of the setting of an identity provider that decide about its users. */
export interface SignInProvider {
  readonly name: string;
  readonly issuer: string;
  /** Domains of e-mail addresses for which the identity provider may link users that exist. */
  readonly trustedEmailDomains: readonly string[];
  /** Group whose people are site administrators. */
  readonly siteAdminGroup?: string | undefined;
}

/** A person who signs in, as the identity provider describes them. */
export interface Person {
  readonly provider: SignInProvider;
  readonly subject: string;
  readonly username: string;
  readonly email: string | undefined;
  /** Whether the identity provider states that the address belongs to the person. */
  readonly emailVerified: boolean;
  readonly groups: readonly string[];
}

const EMAIL = /^[^@\s]+@([^@\s]+)$/;

/** Returns the e-mail address that belongs to a person; undefined if it is not verified. */
const verifiedEmail = ({ email, emailVerified }: Person): string | undefined =>
  emailVerified && email !== undefined && email.length <= limits.email && EMAIL.test(email) ? email : undefined;

/** Addresses of other characters can equal another one in lower case, such as those with the sign of Kelvin. */
const ASCII = /^[\x21-\x7e]+$/;

/** Returns the e-mail address by which a user that exists may be linked; undefined if there is none (SESSION-5). */
export const linkingEmail = (person: Person): string | undefined => {
  const email = verifiedEmail(person);
  const [, domain = ''] = EMAIL.exec(email ?? '') ?? [];
  const isTrusted = person.provider.trustedEmailDomains.some((one) => one.toLowerCase() === domain.toLowerCase());
  return isTrusted && ASCII.test(email ?? '') ? email : undefined;
};

/** Returns whether a user may be linked by the e-mail address, as far as the user itself decides (SESSION-5). */
export const isLinkable = ({ isLinked, siteAdmin, serviceAccount }: User): boolean =>
  isLinked !== true && siteAdmin !== true && !serviceAccount;

/** Lists the usernames that are tried for a new user: the own one, and those with a digit. */
export const usernamesFor = ({ username }: Pick<Person, 'username'>): string[] => {
  const name = usernameOf(username, 'user');
  return [name, ...[2, 3, 4, 5, 6, 7, 8, 9].map((digit) => numberedUsername(name, digit))];
};

/** Appends a number to a username, within the limit of its length. */
export const numberedUsername = (username: string, number: number): string =>
  username.slice(0, limits.username - String(number).length) + number;

/** Plans the right of a site administrator, if a group of the identity provider decides about it (SESSION-6). */
const siteAdminChange = (
  { siteAdmin, siteAdminSource }: Pick<User, 'siteAdmin' | 'siteAdminSource'>,
  { provider: { name, siteAdminGroup }, groups }: Person,
): Change | undefined => {
  const source = sourceOf(name);
  const isInGroup = siteAdminGroup !== undefined && groups.includes(siteAdminGroup);
  if (isInGroup && siteAdmin !== true) return { set: { siteAdmin: true, siteAdminSource: source } };
  if (!isInGroup && siteAdminSource === source) return { remove: ['siteAdmin', 'siteAdminSource'] };
  return undefined;
};

/** An identity that is not linked yet. */
type Identity = Pick<LinkedIdentity, 'provider' | 'issuer' | 'subject'>;

const identityOf = ({ provider: { name, issuer }, subject }: Person): Identity => ({ provider: name, issuer, subject });

const newIdentity = ({ at }: Attempt, { provider, issuer, subject }: Identity, user: string): LinkedIdentity => ({
  id: linkedIdentityId(issuer, subject),
  user,
  ...{ provider, issuer, subject },
  linkedAt: at,
});

/** Plans the entries of a link, or of its end. */
export const recordIdentity = (
  attempt: Attempt,
  user: string,
  { provider }: Pick<LinkedIdentity, 'provider'>,
  type: 'identity.linked' | 'identity.unlinked',
  organizations: readonly string[],
): Effect[] => organizations.map((name) => recordOnMembership(attempt, user, name, type, { signIn: { provider } }));

/** Plans to use the user of a linked identity. @throws DomainError 409 for a suspended user. */
export const useLinked = (user: User, person: Person): Plan<User> => {
  requireInService(user);
  const change = siteAdminChange(user, person);
  if (change === undefined) return done(user);
  return { effects: [{ kind: 'update', of: { kind: 'user', id: user.id }, change }], result: user };
};

/**
 * Plans to link an identity to a user that exists. Another identity that is linked at the same time makes it fail.
 * @param organizations names of the organizations of the user, whose audit trails name the link.
 * @throws DomainError 409 for a suspended user.
 */
export const linkUser = (
  attempt: Attempt,
  { invited: _, ...user }: User,
  person: Person,
  organizations: readonly string[],
): Plan<User> => {
  requireInService(user);
  const admin = siteAdminChange(user, person);
  const identity = identityOf(person);
  const change = { set: { ...admin?.set, isLinked: true }, remove: ['invited'] };
  const condition = all(OPEN, absent('isLinked'), equals('email', user.email));
  const effects: Effect[] = [
    { kind: 'update', of: { kind: 'user', id: user.id }, change, condition },
    { kind: 'link-identity', identity: newIdentity(attempt, identity, user.id) },
    ...recordIdentity(attempt, user.id, identity, 'identity.linked', organizations),
  ];
  return { effects, result: { ...user, isLinked: true } };
};

/**
 * Plans the creation of a user with a linked identity. An address that nobody has verified is no address of the user: it
 * could receive invitations that are meant for somebody else.
 */
export const createLinked = (attempt: Attempt, id: string, username: string, person: Person): Plan<User> => {
  const email = verifiedEmail(person);
  const user: User = {
    id,
    username,
    email: email ?? `${id}@unconfirmed.invalid`,
    ...(email === undefined && person.email !== undefined && { unconfirmedEmail: cutText(person.email, limits.email) }),
    serviceAccount: false,
    ...siteAdminChange({}, person)?.set,
    isLinked: true,
    createdAt: attempt.at,
  };
  const identity = newIdentity(attempt, identityOf(person), id);
  return { effects: [...createUserEffects(user), { kind: 'link-identity', identity }], result: user };
};

/**
 * Plans to link an identity with a user for an operator, who may link any user (SESSION-12).
 * @param organizations names of organizations of the user, whose audit trails name the link.
 */
export const linkIdentity = (
  attempt: Attempt,
  { id }: Pick<User, 'id'>,
  identity: Identity,
  organizations: readonly string[],
): Plan<boolean> => ({
  effects: [
    { kind: 'update', of: { kind: 'user', id }, change: { set: { isLinked: true }, remove: ['invited'] } },
    { kind: 'link-identity', identity: newIdentity(attempt, identity, id) },
    ...recordIdentity(attempt, id, identity, 'identity.linked', organizations),
  ],
  result: true,
});

/**
 * Plans to unlink an identity of a user. The user stays marked as linked, so that the e-mail address does not link the identity
 * again (SESSION-12).
 * @param organizations names of organizations of the user, whose audit trails name the end of the link.
 */
export const unlinkIdentity = (
  attempt: Attempt,
  identity: LinkedIdentity,
  organizations: readonly string[],
): Plan<boolean> => ({
  effects: [
    { kind: 'unlink-identity', identity },
    ...recordIdentity(attempt, identity.user, identity, 'identity.unlinked', organizations),
  ],
  result: true,
});
