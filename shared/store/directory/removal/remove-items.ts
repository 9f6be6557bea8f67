import type { TokenSubject } from '../../../domain/directory/tokens.ts';
import type { Effect } from '../../../domain/directory/transitions/plan.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { persist, sendWrites } from '../../dynamodb/retry-writes.ts';
import { effectWrites } from '../../items/directory-writes.ts';
import type { Table } from '../records/commit.ts';
import { findTokens } from '../tokens/token-reader.ts';

/** DynamoDB's limit on the writes of one transaction. */
const MOST_WRITES = 100;

/** Puts groups of writes together, up to the limit of a transaction. */
const batches = (groups: readonly (readonly Write[])[]): Write[][] =>
  groups.reduce<Write[][]>((all, group) => {
    const last = all.at(-1);
    if (last !== undefined && last.length + group.length <= MOST_WRITES) last.push(...group);
    else all.push([...group]);
    return all;
  }, []);

/** Opens the removal of items. Each removal can be repeated, and ignores items that do not exist. */
export const openRemoveItems = ({ database, clock }: Table) => {
  /** Deletes groups of items, each group in one transaction. */
  const removeAll = async (groups: readonly (readonly Write[])[]): Promise<void> => {
    for (const writes of batches(groups)) {
      await persist('directory', clock, (_, remaining) => sendWrites(database, writes, remaining()));
    }
  };

  const removeDependants = (effects: readonly Effect[]): Promise<void> =>
    removeAll(effects.map((effect) => effectWrites(effect).map(({ write }) => write)));

  return {
    removeAll,
    removeDependants,

    /** Removes the tokens of a subject that is deleted too. */
    removeTokens: async (subject: TokenSubject): Promise<void> => {
      const tokens = await findTokens(database, subject);
      await removeDependants(tokens.map((token) => ({ kind: 'revoke-token', token })));
    },
  };
};
