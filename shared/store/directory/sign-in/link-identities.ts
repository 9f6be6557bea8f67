import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { User } from '../../../domain/directory/records.ts';
import { type LinkedIdentity, linkedIdentityId } from '../../../domain/directory/sessions.ts';
import {
  linkIdentity,
  recordIdentity,
  unlinkIdentity,
} from '../../../domain/directory/transitions/linked-identities.ts';
import { done } from '../../../domain/directory/transitions/plan.ts';
import { useById } from '../../../domain/directory/transitions/users.ts';
import { conflict } from '../../../domain/errors.ts';
import { keys } from '../../dynamodb/keys.ts';
import { apply, type Table } from '../records/commit.ts';
import { ORGANIZATIONS_AT_ONCE, openMembershipEntries } from '../users/membership-entries.ts';
import type { Users } from '../users/users.ts';
import { openSessionReader } from './session-reader.ts';

/** Opens the links of identities that an operator makes and ends. All reads are strongly consistent. */
export const openLinkIdentities = (table: Table, users: Users) => {
  const { organizationsOf, recordOthers } = openMembershipEntries(table);
  const { listIdentities } = openSessionReader(table.database);

  const findUserOf = async (issuer: string, subject: string): Promise<string | undefined> =>
    (await table.database.get(keys.linkedIdentity(linkedIdentityId(issuer, subject)), true))?.['user'] as
      | string
      | undefined;

  return {
    listIdentities,

    /**
     * Links an identity with a user.
     * @returns whether it was not linked before.
     * @throws DomainError 409 if it is linked with another user.
     */
    link: async (
      request: RequestContext,
      { id }: Pick<User, 'id'>,
      identity: Pick<LinkedIdentity, 'provider' | 'issuer' | 'subject'>,
    ): Promise<boolean> => {
      let rest: readonly string[] = [];
      const isLinked = await apply<boolean>(table, request, async (attempt) => {
        const linked = await findUserOf(identity.issuer, identity.subject);
        // An earlier attempt was applied, its response having been lost.
        if (linked === id) return done(attempt.previous ?? false);
        if (linked !== undefined) {
          const name = (await users.findById(linked))?.record.username ?? linked;
          throw conflict(`The identity is linked with the user ${name}: unlink it there first.`);
        }
        const names = await organizationsOf(id);
        rest = names.slice(ORGANIZATIONS_AT_ONCE);
        const user = useById(await users.findById(id)).result;
        return linkIdentity(attempt, user, identity, names.slice(0, ORGANIZATIONS_AT_ONCE));
      });
      if (isLinked) {
        await recordOthers(request, rest, (attempt, names) =>
          recordIdentity(attempt, id, identity, 'identity.linked', names),
        );
      }
      return isLinked;
    },

    /** Unlinks an identity of a user. @returns whether it was linked. */
    unlink: async (
      request: RequestContext,
      { id }: Pick<User, 'id'>,
      provider: string,
      subject: string,
    ): Promise<boolean> => {
      let rest: readonly string[] = [];
      const isUnlinked = await apply<boolean>(table, request, async (attempt) => {
        const found = (await listIdentities(id)).find((one) => one.provider === provider && one.subject === subject);
        // An earlier attempt was applied, its response having been lost.
        if (found === undefined) return done(attempt.previous ?? false);
        const names = await organizationsOf(id);
        rest = names.slice(ORGANIZATIONS_AT_ONCE);
        return unlinkIdentity(attempt, found, names.slice(0, ORGANIZATIONS_AT_ONCE));
      });
      if (isUnlinked) {
        await recordOthers(request, rest, (attempt, names) =>
          recordIdentity(attempt, id, { provider }, 'identity.unlinked', names),
        );
      }
      return isUnlinked;
    },
  };
};
