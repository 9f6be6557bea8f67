import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Token } from '../../../domain/directory/tokens.ts';
import { recordSuspension, setSuspended, suspendTokens } from '../../../domain/directory/transitions/suspension.ts';
import { useById } from '../../../domain/directory/transitions/users.ts';
import { apply, type Table } from '../records/commit.ts';
import { findTokens } from '../tokens/token-reader.ts';
import { ORGANIZATIONS_AT_ONCE, openMembershipEntries } from './membership-entries.ts';
import type { Users } from './users.ts';

/** Number of tokens that one transaction marks: each has two items, and a transaction holds 100. */
const TOKENS_AT_ONCE = 40;

/** Opens the suspension of users (SUSPEND-1). All reads are strongly consistent. */
export const openSuspension = (table: Table, users: Users) => {
  const { organizationsOf, recordOthers } = openMembershipEntries(table);

  const markUser = async (request: RequestContext, id: string, suspended: boolean): Promise<boolean> => {
    let rest: readonly string[] = [];
    const isChanged = await apply<boolean>(table, request, async (attempt) => {
      const names = await organizationsOf(id);
      rest = names.slice(ORGANIZATIONS_AT_ONCE);
      const user = useById(await users.findById(id)).result;
      return setSuspended(attempt, user, suspended, names.slice(0, ORGANIZATIONS_AT_ONCE));
    });
    if (isChanged) {
      await recordOthers(request, rest, (attempt, others) => recordSuspension(attempt, id, suspended, others));
    }
    return isChanged;
  };

  const findOthers = async (id: string, suspended: boolean): Promise<Token[]> =>
    (await findTokens(table.database, { kind: 'user', id })).filter(
      (token) => (token.suspended ?? false) !== suspended,
    );

  const markTokens = async (request: RequestContext, id: string, suspended: boolean): Promise<number> => {
    const tokens = await findOthers(id, suspended);
    for (let from = 0; from < tokens.length; from += TOKENS_AT_ONCE) {
      const some = tokens.slice(from, from + TOKENS_AT_ONCE);
      await apply(table, request, async (attempt) => {
        if (attempt.isFirst) return suspendTokens(id, some, suspended);
        // A token was revoked meanwhile, or an earlier attempt was applied.
        const others = new Set((await findOthers(id, suspended)).map((token) => token.id));
        return suspendTokens(
          id,
          some.filter((token) => others.has(token.id)),
          suspended,
        );
      });
    }
    return tokens.length;
  };

  return {
    /**
     * Suspends a user with all tokens, or ends the suspension. After an interruption, another call does the rest.
     * @returns whether the user was in the other state, and the number of tokens that were.
     * @throws DomainError 404; 409 if another command does the opposite at the same time.
     */
    set: async (request: RequestContext, id: string, suspended: boolean) => {
      const isChanged = await markUser(request, id, suspended);
      return { isChanged, tokens: await markTokens(request, id, suspended) };
    },
  };
};
