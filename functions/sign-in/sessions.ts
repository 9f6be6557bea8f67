import {
  digestOf,
  mintSessionSecret,
  mintToken,
  newToken,
  readSessionSecret,
} from '../../shared/access/credentials.ts';
import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import type { User } from '../../shared/domain/directory/records.ts';
import type { SessionLimits } from '../../shared/domain/directory/sessions.ts';
import { newId } from '../../shared/lib/random.ts';
import type { DirectoryWriter } from '../../shared/store/directory/directory-writer.ts';
import { openSessions, type ProviderLogout, type SignIn } from '../../shared/store/directory/sign-in/sessions.ts';

/** A token of a session, for the console. */
export interface SessionTokenText {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly user: User;
}

/** Length up to which the `User-Agent` of a browser is stored. */
const USER_AGENT_LENGTH = 256;

const newSession = (request: RequestContext, userAgent: string | undefined) => {
  const id = newId('session', request);
  const sessionSecret = mintSessionSecret(id);
  const session = {
    ...{ id, digest: digestOf(sessionSecret) },
    ...(userAgent && { userAgent: userAgent.slice(0, USER_AGENT_LENGTH) }),
  };
  return { session, sessionSecret };
};

/**
 * Opens sign-ins and sessions with their secrets. Only the cookie of a browser has the secret of a session (SESSION-1).
 * @example
 * const { sessionSecret } = await sessions.signIn(request, { provider, subject, username, email, emailVerified, groups, limits });
 */
export const openBrowserSessions = (directory: DirectoryWriter) => {
  const sessions = openSessions(directory);
  return {
    /** Signs a person in. @throws DomainError 409 while the user is being deleted. */
    signIn: async (
      request: RequestContext,
      signIn: SignIn,
      userAgent?: string,
    ): Promise<{ readonly user: User; readonly sessionSecret: string }> => {
      const { session, sessionSecret } = newSession(request, userAgent);
      return { user: await sessions.signIn(request, signIn, session), sessionSecret };
    },

    /** Signs in by link. @returns the secret of the session. @throws DomainError 409 for a user who is suspended or deleted. */
    signInByLink: async (
      request: RequestContext,
      user: string,
      limits: SessionLimits,
      userAgent?: string,
    ): Promise<string> => {
      const { session, sessionSecret } = newSession(request, userAgent);
      await sessions.startByLink(request, user, session, limits);
      return sessionSecret;
    },

    /** Renews a session and creates a token of it. @returns undefined if there is no session, or it has ended. */
    renew: async (request: RequestContext, sessionSecret: string): Promise<SessionTokenText | undefined> => {
      const session = readSessionSecret(sessionSecret);
      if (session === undefined) return undefined;
      const token = mintToken('session');
      const renewed = await sessions.renew(request, session, newToken(request, token, { description: null }));
      return renewed && { token, ...renewed };
    },

    /**
     * Ends a session with its tokens, on behalf of its user. Nothing happens if it has ended already.
     * @returns the name of the identity provider; undefined if there is no such session.
     */
    end: async (request: RequestContext, sessionSecret: string): Promise<string | undefined> => {
      const secret = readSessionSecret(sessionSecret);
      const session = secret && (await sessions.find(secret.id, true));
      if (session === undefined || session.digest !== secret?.digest) return undefined;
      const user = await directory.users.findById(session.user);
      const name = user?.record.username ?? session.user;
      await sessions.end({ ...request, principal: { kind: 'user', id: session.user, name } }, session.id);
      return session.provider;
    },

    /** Ends the sessions that an identity provider names. @returns their number. */
    endByProvider: async (request: RequestContext, logout: ProviderLogout): Promise<number> =>
      (await sessions.endByProvider(request, logout)).length,
  };
};
