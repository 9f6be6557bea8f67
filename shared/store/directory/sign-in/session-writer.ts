import type { RequestContext } from '../../../domain/changes/change-context.ts';
import {
  isActive,
  linkedIdentityId,
  type Session,
  type SessionLimits,
  sessionLimits,
} from '../../../domain/directory/sessions.ts';
import type { NewToken } from '../../../domain/directory/tokens.ts';
import { done, isOpen, requireInService } from '../../../domain/directory/transitions/plan.ts';
import {
  endSession,
  type Renewed,
  recordEnd,
  recordSignIn,
  renewSession,
  startSession,
} from '../../../domain/directory/transitions/sessions.ts';
import { conflict, DisabledProvider } from '../../../domain/errors.ts';
import { keys } from '../../dynamodb/keys.ts';
import { isOpen as isOpenItem, organizationOf } from '../../items/directory-items.ts';
import { apply, type Table } from '../records/commit.ts';
import { ORGANIZATIONS_AT_ONCE, openMembershipEntries } from '../users/membership-entries.ts';
import type { Users } from '../users/users.ts';
import { findDisabledProviders } from './disabled-providers.ts';
import { openSessionReader } from './session-reader.ts';

/** A session before it is stored: its id, the digest of its secret, and the browser. */
export type NewSession = Pick<Session, 'id' | 'digest' | 'userAgent'>;

/** User of a new session, and the sign-in from which it comes. */
export type SessionOrigin = Pick<Session, 'user' | 'provider' | 'issuer' | 'subject' | 'sid'>;

/** Opens the changes of sessions. All reads are strongly consistent. */
export const openSessionWriter = (table: Table, users: Users) => {
  const { database } = table;
  const { find } = openSessionReader(database);
  const { organizationsOf, recordOthers } = openMembershipEntries(table);

  /** Reports why a session cannot start, if that has changed since the sign-in began. @throws DomainError 409. */
  const requireStart = async ({ user, provider, issuer, subject }: SessionOrigin): Promise<void> => {
    const [stored, disabled, identity] = await Promise.all([
      users.findById(user),
      findDisabledProviders(database, [provider], true),
      issuer === undefined || subject === undefined
        ? { user }
        : database.get(keys.linkedIdentity(linkedIdentityId(issuer, subject)), true),
    ]);
    if (!isOpen(stored)) throw conflict('The user is being deleted.');
    requireInService(stored.record);
    if (disabled.has(provider)) throw new DisabledProvider(provider);
    if (identity?.['user'] !== user) throw conflict('The identity is no longer linked with the user.');
  };

  return {
    /**
     * Starts a session, within the limits of the deployment and of the organizations of the user.
     * @throws DomainError 409 if the user was suspended or deleted, the identity unlinked, or the provider disabled meanwhile.
     */
    start: async (
      request: RequestContext,
      session: NewSession & SessionOrigin,
      deployment: SessionLimits,
    ): Promise<void> => {
      const names = await organizationsOf(session.user);
      const items = await database.getAll(names.map(keys.organization), true);
      const { lifetime, idle } = sessionLimits(deployment, items.filter(isOpenItem).map(organizationOf));
      let rest: readonly string[] = [];
      const started = await apply<Session>(table, request, async (attempt) => {
        const { at, previous } = attempt;
        // An earlier attempt was applied, its response having been lost.
        if (previous !== undefined && (await find(session.id, true))) return done(previous);
        if (!attempt.isFirst) await requireStart(session);
        const present = attempt.isFirst ? names : await organizationsOf(session.user);
        rest = present.slice(ORGANIZATIONS_AT_ONCE);
        const times = { startedAt: at, usedAt: at, expiresAt: at + lifetime, idleMilliseconds: idle };
        return startSession(attempt, { ...session, ...times, tokens: [] }, present.slice(0, ORGANIZATIONS_AT_ONCE));
      });
      await recordOthers(request, rest, (attempt, others) => recordSignIn(attempt, started, others));
    },

    /**
     * Renews a session: it gets a new token, and its idle time starts again.
     * @returns undefined if there is no such session, or it has ended.
     */
    renew: (
      request: RequestContext,
      { id, digest }: Pick<Session, 'id' | 'digest'>,
      token: Pick<NewToken, 'id' | 'digest' | 'description'>,
    ): Promise<Renewed | undefined> =>
      apply<Renewed | undefined>(table, request, async (attempt) => {
        const session = await find(id, true);
        if (session?.digest !== digest || !isActive(session, attempt.at)) return done(undefined);
        // An earlier attempt was applied, its response having been lost.
        if (session.tokens.some((one) => one.id === token.id)) return done(attempt.previous);
        const stored = await users.findById(session.user);
        const isInService = isOpen(stored) && stored.record.suspendedAt === undefined;
        return isInService ? renewSession(attempt, session, stored.record, token) : done(undefined);
      }),

    /** Ends a session with its tokens. @returns the session; undefined if there is none, or it has ended. */
    end: async (request: RequestContext, id: string): Promise<Session | undefined> => {
      let rest: readonly string[] = [];
      const ended = await apply<Session | undefined>(table, request, async (attempt) => {
        const session = await find(id, true);
        const isOver = session === undefined || !isActive(session, attempt.at);
        const names = isOver ? [] : await organizationsOf(session.user);
        rest = names.slice(ORGANIZATIONS_AT_ONCE);
        return endSession(attempt, isOver ? undefined : session, names.slice(0, ORGANIZATIONS_AT_ONCE));
      });
      if (ended !== undefined) await recordOthers(request, rest, (attempt, names) => recordEnd(attempt, ended, names));
      return ended;
    },
  };
};
