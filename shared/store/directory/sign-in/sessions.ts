import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { User } from '../../../domain/directory/records.ts';
import { isActive, linkedIdentityId, type Session, type SessionLimits } from '../../../domain/directory/sessions.ts';
import type { Person } from '../../../domain/directory/transitions/linked-identities.ts';
import { isOpen, requireInService } from '../../../domain/directory/transitions/plan.ts';
import { conflict } from '../../../domain/errors.ts';
import { SIGN_IN_LINK } from '../../../domain/sign-in/sign-in-links.ts';
import { keys, providerSessionPartition } from '../../dynamodb/keys.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { openFindUser } from './find-user.ts';
import { openSessionReader } from './session-reader.ts';
import { type NewSession, openSessionWriter } from './session-writer.ts';
import { openMembershipSync } from './sync-memberships.ts';

/** A person who signs in at an identity provider. */
export interface SignIn extends Omit<Person, 'groups'> {
  /** Names of the groups of the person, once each; undefined if the identity provider states none. */
  readonly groups: readonly string[] | undefined;
  /** Id that the identity provider gave its own session. */
  readonly sid?: string | undefined;
  /** Limits of the sessions of the deployment. */
  readonly limits: SessionLimits;
}

/** The sessions that an identity provider ends: those of one session of its own, or all of a subject. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subject?: string | undefined;
  readonly sid?: string | undefined;
}

/** Opens the sign-ins and sessions of people. All reads are strongly consistent. */
export const openSessions = ({ table, users, records }: Pick<DirectoryWriter, 'table' | 'users' | 'records'>) => {
  const { database, clock } = table;
  const { find, list, listIdentities } = openSessionReader(database);
  const { start, renew, end } = openSessionWriter(table, users);
  const findUser = openFindUser(table, users);
  const syncMemberships = openMembershipSync(table, records);

  const findByProvider = async ({ issuer, subject, sid }: ProviderLogout): Promise<Session[]> => {
    const isOf = (session: Session): boolean =>
      session.issuer === issuer && (subject === undefined || session.subject === subject);
    if (sid !== undefined) return (await list(providerSessionPartition(issuer, sid))).filter(isOf);
    if (subject === undefined) return [];
    const identity = await database.get(keys.linkedIdentity(linkedIdentityId(issuer, subject)), true);
    return identity === undefined ? [] : (await list(keys.user(String(identity['user'])).pk)).filter(isOf);
  };

  return {
    find,
    renew,
    end,
    listIdentities,

    /** Lists the sessions of a user that have not ended, in no particular order. */
    listOf: async (user: string): Promise<Session[]> =>
      (await list(keys.user(user).pk)).filter((session) => isActive(session, clock())),

    /**
     * Signs a person in: finds, links or creates the user, brings the teams of the user in line with the groups, and then
     * starts a session. Each step can be repeated after an interruption.
     * @throws DomainError 409 while the user is being deleted.
     */
    signIn: async (request: RequestContext, signIn: SignIn, session: NewSession): Promise<User> => {
      const { provider, subject, username, email, emailVerified, groups = [], sid, limits: deployment } = signIn;
      const person: Person = { provider, subject, username, email, emailVerified, groups };
      const { name, issuer } = provider;
      const byProvider: RequestContext = { ...request, principal: { kind: 'identity-provider', id: name, name } };
      const user = await findUser(byProvider, person);
      await syncMemberships(byProvider, user, name, person.groups);
      const byUser: RequestContext = { ...request, principal: { kind: 'user', id: user.id, name: user.username } };
      const origin = { user: user.id, provider: name, issuer, subject, ...(sid !== undefined && { sid }) };
      await start(byUser, { ...session, ...origin }, deployment);
      return user;
    },

    /**
     * Starts a session of a user without an identity provider (SIGNIN-13).
     * @throws DomainError 409 for a user who is suspended or does not exist.
     */
    startByLink: async (
      request: RequestContext,
      id: string,
      session: NewSession,
      deployment: SessionLimits,
    ): Promise<void> => {
      const stored = await users.findById(id);
      if (!isOpen(stored)) throw conflict('The user does not exist any more.');
      requireInService(stored.record);
      const { username: name } = stored.record;
      const byUser: RequestContext = { ...request, principal: { kind: 'user', id, name } };
      await start(byUser, { ...session, user: id, provider: SIGN_IN_LINK }, deployment);
    },

    /** Ends the sessions that an identity provider names. @returns those that it ended. */
    endByProvider: async (request: RequestContext, logout: ProviderLogout): Promise<Session[]> => {
      const ended: Session[] = [];
      for (const { id } of await findByProvider(logout)) {
        const session = await end(request, id);
        if (session !== undefined) ended.push(session);
      }
      return ended;
    },
  };
};

export type Sessions = ReturnType<typeof openSessions>;
