import { all, equals } from '../../changes/conditions.ts';
import type { OrganizationChangeDetails, OrganizationChangeType } from '../../changes/organization-changes.ts';
import { limits } from '../../limits.ts';
import { SIGN_IN_LINK } from '../../sign-in/sign-in-links.ts';
import type { Membership, User } from '../records.ts';
import { linkedIdentityId, type Session, type SessionToken, tokenExpiry } from '../sessions.ts';
import type { NewToken } from '../tokens.ts';
import { type Attempt, done, type Effect, IN_SERVICE, type Plan, record } from './plan.ts';

/** A token of a session, after a renewal. */
export interface Renewed {
  readonly user: User;
  readonly expiresAt: number;
}

/** Plans an entry in the audit trail of an organization of a user. It is stored with the membership. */
export const recordOnMembership = (
  attempt: Attempt,
  user: string,
  organization: string,
  type: OrganizationChangeType,
  details: OrganizationChangeDetails,
): Effect => ({
  kind: 'update-membership',
  user,
  organization,
  // At a sign-in by link, no identity provider has confirmed that the user still belongs to it.
  ...(type === 'user.signed-in' && details.signIn?.provider !== SIGN_IN_LINK && { times: { signedInAt: attempt.at } }),
  changeRecord: record(attempt, type, details),
});

/** Plans that a member needs no sign-in until a time, in milliseconds (POLICY-4). */
export const exemptMember = (
  attempt: Attempt,
  { user, organization }: Pick<Membership, 'user' | 'organization'>,
  exemptUntil: number,
): Plan<undefined> => ({
  effects: [
    {
      kind: 'update-membership',
      ...{ user, organization },
      times: { exemptUntil },
      changeRecord: record(attempt, 'user.exempted', {}),
    },
  ],
  result: undefined,
});

const signInOf = ({ provider, id }: Session) => ({ signIn: { provider, session: id } });

/** Requires that the identity of a session is still linked with its user. */
const requireIdentity = ({ user, issuer, subject }: Session): Effect[] =>
  issuer === undefined || subject === undefined
    ? []
    : [{ kind: 'require-identity', id: linkedIdentityId(issuer, subject), user }];

/**
 * Plans the start of a session.
 * @param organizations names of organizations of the user, whose memberships and audit trails record the sign-in.
 */
export const startSession = (attempt: Attempt, session: Session, organizations: readonly string[]): Plan<Session> => ({
  effects: [
    { kind: 'start-session', session },
    { kind: 'require-provider', provider: session.provider },
    ...requireIdentity(session),
    { kind: 'require', of: { kind: 'user', id: session.user }, condition: IN_SERVICE },
    ...recordSignIn(attempt, session, organizations),
  ],
  result: session,
});

/** Plans the entries of a sign-in. */
export const recordSignIn = (attempt: Attempt, session: Session, organizations: readonly string[]): Effect[] =>
  organizations.map((name) => recordOnMembership(attempt, session.user, name, 'user.signed-in', signInOf(session)));

const revoke = ({ user }: Session, { id, digest }: SessionToken): Effect => ({
  kind: 'revoke-token',
  token: { id, digest, subject: { kind: 'user', id: user } },
});

/** Plans a renewal, which creates a token. Expired tokens are removed, and the oldest one if there are too many. */
export const renewSession = (
  { at }: Attempt,
  session: Session,
  user: User,
  token: Pick<NewToken, 'id' | 'digest' | 'description'>,
): Plan<Renewed> => {
  const { id, username } = user;
  const expiresAt = tokenExpiry(session, at);
  const kept = session.tokens.filter((one) => one.expiresAt > at).slice(1 - limits.sessionTokens);
  const tokens = [...kept, { id: token.id, digest: token.digest, expiresAt }];
  const subject = { kind: 'user', id } as const;
  return {
    effects: [
      { kind: 'renew-session', before: session, change: { usedAt: at, tokens, revision: token.id } },
      ...session.tokens.filter((one) => !kept.includes(one)).map((one) => revoke(session, one)),
      {
        kind: 'create-token',
        token: { ...token, subject, name: username, session: session.id, expiresAt, createdAt: at },
      },
      { kind: 'require', of: subject, condition: all(IN_SERVICE, equals('username', username)) },
    ],
    result: { user, expiresAt },
  };
};

/**
 * Plans the end of a session with its tokens.
 * @param session undefined if it has ended already.
 * @param organizations names of organizations of the user, whose audit trails record the end.
 * @returns the ended session.
 */
export const endSession = (
  attempt: Attempt<Session | undefined>,
  session: Session | undefined,
  organizations: readonly string[],
): Plan<Session | undefined> => {
  if (session === undefined) return done(attempt.previous);
  return {
    effects: [
      { kind: 'end-session', session, isUnchanged: true },
      ...session.tokens.map((token) => revoke(session, token)),
      ...recordEnd(attempt, session, organizations),
    ],
    result: session,
  };
};

/** Plans the entries of the end of a session. */
export const recordEnd = (attempt: Attempt, session: Session, organizations: readonly string[]): Effect[] =>
  organizations.map((name) => recordOnMembership(attempt, session.user, name, 'session.ended', signInOf(session)));
