import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { isActive, type Session, type SessionLimits, sessionLimits } from '../../../domain/directory/sessions.ts';
import type { NewToken } from '../../../domain/directory/tokens.ts';
import { type Attempt, done, type Effect, isOpen } from '../../../domain/directory/transitions/plan.ts';
import {
  endSession,
  type Renewed,
  recordEnd,
  recordSignIn,
  renewSession,
  startSession,
} from '../../../domain/directory/transitions/sessions.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { isOpen as isOpenItem, organizationOf } from '../../items/directory-items.ts';
import { apply, type Table } from '../records/commit.ts';
import type { Users } from '../users/users.ts';
import { openSessionReader } from './session-reader.ts';

/** A session before it is stored: its id, and the digest of its secret. */
export type NewSession = Pick<Session, 'id' | 'digest'>;

/** User of a new session, and the sign-in at an identity provider from which it comes. */
export type SessionOrigin = Pick<Session, 'user' | 'provider' | 'issuer' | 'subject' | 'sid'>;

/** Number of organizations that one transaction names, with two writes each. */
const ORGANIZATIONS_AT_ONCE = 30;
/** Number of other organizations whose entries are written concurrently. */
const CONCURRENCY = 8;

/** Opens the changes of sessions. All reads are strongly consistent. */
export const openSessionWriter = (table: Table, users: Users) => {
  const { database } = table;
  const { find } = openSessionReader(database);

  /** Lists the names of the organizations of a user. */
  const organizationsOf = async (user: string): Promise<string[]> => {
    const { pk: partition } = keys.user(user);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    return items.flatMap(({ team, organization }) => (team === undefined ? [String(organization)] : []));
  };

  /** Writes the entries in audit trails that had no place in the transaction of their change. */
  const recordOthers = async (
    request: RequestContext,
    organizations: readonly string[],
    entries: (attempt: Attempt, organizations: readonly string[]) => Effect[],
  ): Promise<void> => {
    await mapWithConcurrency(organizations, CONCURRENCY, (name) =>
      apply<undefined>(table, request, async (attempt) => ({
        effects: entries(attempt, [name]).map((effect) => ({ ...effect, isDoneOnFailure: true })),
        result: undefined,
      })),
    );
  };

  return {
    /** Starts a session, within the limits of the deployment and of the organizations of the user. */
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
      { id, digest }: NewSession,
      token: Pick<NewToken, 'id' | 'digest' | 'description'>,
    ): Promise<Renewed | undefined> =>
      apply<Renewed | undefined>(table, request, async (attempt) => {
        const session = await find(id, true);
        if (session?.digest !== digest || !isActive(session, attempt.at)) return done(undefined);
        // An earlier attempt was applied, its response having been lost.
        if (session.tokens.some((one) => one.id === token.id)) return done(attempt.previous);
        const stored = await users.findById(session.user);
        return isOpen(stored) ? renewSession(attempt, session, stored.record, token) : done(undefined);
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
