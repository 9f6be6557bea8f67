import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { isActive, type Session } from '../../../domain/directory/sessions.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import { keys } from '../../dynamodb/keys.ts';
import type { Table } from '../records/commit.ts';
import type { Users } from '../users/users.ts';
import { openSessionReader } from './session-reader.ts';
import { openSessionWriter } from './session-writer.ts';

/** Number of sessions of several users that end concurrently. Those of one user would conflict. */
const CONCURRENCY = 8;
/** Time that is left when no further session is ended, in milliseconds: one takes less, also after retries. */
const RESERVE = 15_000;

/** Number of sessions that were ended, and of those that have not been. */
interface EndedSessions {
  readonly ended: number;
  readonly left: number;
}

/** Opens the ends of many sessions at once. All reads are strongly consistent. */
export const openEndSessions = (table: Table, users: Users) => {
  const { list } = openSessionReader(table.database);
  const { end } = openSessionWriter(table, users);

  const endAll = async (
    request: RequestContext,
    sessions: readonly Session[],
    concurrency: number,
    remaining: () => number,
  ): Promise<EndedSessions> => {
    const ends = await mapWithConcurrency(
      sessions.filter((session) => isActive(session, table.clock())),
      concurrency,
      async ({ id }) => {
        if (remaining() < RESERVE) return 'left';
        return (await end(request, id)) === undefined ? 'over' : 'ended';
      },
    );
    const count = (wanted: (typeof ends)[number]) => ends.filter((one) => one === wanted).length;
    return { ended: count('ended'), left: count('left') };
  };

  return {
    /** Ends the sessions of a user. @param remaining returns the time for it, in milliseconds. */
    ofUser: async (request: RequestContext, user: string, remaining: () => number): Promise<EndedSessions> =>
      endAll(request, await list(keys.user(user).pk), 1, remaining),

    /** Ends the sessions of a user that come from one identity. @param remaining returns the time for it, in milliseconds. */
    ofIdentity: async (
      request: RequestContext,
      user: string,
      { provider, subject }: Pick<Session, 'provider' | 'subject'>,
      remaining: () => number,
    ): Promise<EndedSessions> => {
      const isOf = (session: Session): boolean => session.provider === provider && session.subject === subject;
      return endAll(request, (await list(keys.user(user).pk)).filter(isOf), 1, remaining);
    },

    /** Ends the sessions that come from an identity provider. @param remaining returns the time for it, in milliseconds. */
    atProvider: async (request: RequestContext, provider: string, remaining: () => number): Promise<EndedSessions> =>
      endAll(request, await list(keys.sessionAtProvider(provider, '').pk), CONCURRENCY, remaining),
  };
};
