import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { Attempt, Effect } from '../../../domain/directory/transitions/plan.ts';
import { mapWithConcurrency } from '../../../lib/concurrency.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { apply, type Table } from '../records/commit.ts';

/** Number of organizations that one transaction names, with two writes each. */
export const ORGANIZATIONS_AT_ONCE = 30;
/** Number of other organizations whose entries are written concurrently. */
const CONCURRENCY = 8;

/** Opens the entries about a user in the audit trails of the organizations of the user. */
export const openMembershipEntries = (table: Table) => ({
  /** Lists the names of the organizations of a user, with strong consistency. */
  organizationsOf: async (user: string): Promise<string[]> => {
    const { pk: partition } = keys.user(user);
    const items = await table.database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    return items.flatMap(({ team, organization }) => (team === undefined ? [String(organization)] : []));
  },

  /** Writes the entries that had no place in the transaction of their change. */
  recordOthers: async (
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
  },
});
