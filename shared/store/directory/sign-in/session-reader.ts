import type { LinkedIdentity, Session } from '../../../domain/directory/sessions.ts';
import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { type Item, keys, NOTHING, prefixes } from '../../dynamodb/keys.ts';
import { withoutKeys } from '../../items/directory-items.ts';

/** Converts a stored item to a session. */
const sessionOf = (item: Item): Session => {
  const { ttl: _, ...session } = withoutKeys(item);
  return session as unknown as Session;
};

/** Opens the reads of sessions and linked identities. */
export const openSessionReader = (database: Database) => {
  const idsIn = async (partition: string, beginsWith: string): Promise<string[]> =>
    (await database.query({ partition, beginsWith, consistent: true })).map(({ id }) => String(id));

  return {
    /** Finds a session by its id, also one that has expired. */
    find: async (id: string, consistent: boolean): Promise<Session | undefined> => {
      const item = await database.get(isId('session', id) ? keys.session(id) : NOTHING, consistent);
      return item && sessionOf(item);
    },

    /** Lists the sessions whose ids a partition has, also expired ones, in no particular order. */
    list: async (partition: string): Promise<Session[]> => {
      const ids = await idsIn(partition, prefixes.sessions);
      return (await database.getAll(ids.map(keys.session), true)).map(sessionOf);
    },

    /** Lists the linked identities of a user, in no particular order. */
    listIdentities: async (user: string): Promise<LinkedIdentity[]> => {
      const ids = await idsIn(keys.user(user).pk, prefixes.linkedIdentities);
      const items = await database.getAll(ids.map(keys.linkedIdentity), true);
      return items.map((item) => withoutKeys(item) as unknown as LinkedIdentity);
    },
  };
};
