import type { Membership, Team, User } from '../../../domain/directory/records.ts';
import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import type { Item } from '../../dynamodb/item.ts';
import { type Key, keys, prefixes } from '../../dynamodb/keys.ts';
import { isOpen, withoutKeys } from '../../items/directory-items.ts';

/** Reads of users, teams and memberships; undefined for a record that does not exist or is being deleted. */
export interface UserReader {
  readonly users: { readonly find: (id: string, consistent: boolean) => Promise<User | undefined> };
  readonly teams: {
    readonly find: (id: string, consistent: boolean) => Promise<Team | undefined>;
    /** Lists the ids of the members of a team. */
    readonly listMembers: (team: string) => Promise<readonly Pick<User, 'id'>[]>;
  };
  readonly memberships: {
    readonly find: (id: string, consistent: boolean) => Promise<Membership | undefined>;
    /** Finds the memberships of users in an organization, in no particular order. */
    readonly findAll: (organization: string, users: readonly string[]) => Promise<readonly Membership[]>;
    /** Lists the memberships of an organization, sorted by user id. */
    readonly list: (organization: string) => Promise<readonly Membership[]>;
  };
}

/** Opens the reads of users, teams and memberships. */
export const openUserReader = (database: Database): UserReader => {
  const find = async <R>(key: Key | undefined, consistent: boolean): Promise<R | undefined> => {
    const item = key && (await database.get(key, consistent));
    return isOpen(item) ? (withoutKeys(item) as unknown as R) : undefined;
  };

  const membershipOf = ({ id, organization, user, createdAt, invited }: Item): Membership =>
    ({ id, organization, user, createdAt, invited }) as unknown as Membership;

  return {
    users: { find: (id, consistent) => find(isId('user', id) ? keys.user(id) : undefined, consistent) },

    teams: {
      find: (id, consistent) => find(isId('team', id) ? keys.team(id) : undefined, consistent),
      listMembers: async (team) => {
        const { pk: partition } = keys.team(team);
        const items = await database.query({ partition, beginsWith: prefixes.memberships });
        return items.filter(isOpen).map(({ user }) => ({ id: String(user) }));
      },
    },

    memberships: {
      find: async (id, consistent) => {
        const item = isId('membership', id) ? await database.get(keys.pointer(id), consistent) : undefined;
        return item && membershipOf(item);
      },
      findAll: async (organization, users) =>
        (await database.getAll(users.map((user) => keys.organizationMember(organization, user))))
          .filter(isOpen)
          .map(membershipOf),
      list: async (organization) => {
        const { pk: partition } = keys.organization(organization);
        const items = await database.query({ partition, beginsWith: prefixes.memberships });
        return items.filter(isOpen).map(membershipOf);
      },
    },
  };
};
