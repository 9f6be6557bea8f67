import type { Membership, Team, User } from '../../../domain/directory/records.ts';
import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { type Item, keys, NOTHING, prefixes } from '../../dynamodb/keys.ts';
import { isOpen, withoutKeys } from '../../items/directory-items.ts';

/** The project to which a team has access. */
interface ProjectAccessId {
  readonly organization: string;
  readonly project: string;
  readonly team: string;
}

/** The workspace on which a team's access is stored, with the project that the workspace was in at that time. */
interface WorkspaceAccessId extends ProjectAccessId {
  readonly workspace: string;
}

/**
 * Opens the reads of users, teams, memberships and the access of teams by its id; undefined for a record that does not exist or is
 * being deleted.
 */
export const openUserReader = (database: Database) => {
  const find =
    <R extends User | Team>(kind: 'user' | 'team') =>
    async (id: string, consistent: boolean): Promise<R | undefined> => {
      const item = await database.get(isId(kind, id) ? keys[kind](id) : NOTHING, consistent);
      return isOpen(item) ? (withoutKeys(item) as unknown as R) : undefined;
    };

  const findAccess =
    <A extends ProjectAccessId>(kind: 'projectAccess' | 'workspaceAccess') =>
    async (id: string, consistent: boolean): Promise<A | undefined> =>
      isId(kind, id) ? ((await database.get(keys.pointer(id), consistent)) as unknown as A | undefined) : undefined;

  /** Lists the items of memberships that lie in a partition. */
  const listIn = async (partition: string): Promise<Item[]> =>
    (await database.query({ partition, beginsWith: prefixes.memberships })).filter(isOpen);

  const membershipOf = ({ id, organization, user, createdAt, invited, signedInAt, exemptUntil }: Item): Membership =>
    ({ id, organization, user, createdAt, invited, signedInAt, exemptUntil }) as unknown as Membership;

  return {
    users: { find: find<User>('user') },

    teams: {
      find: find<Team>('team'),
      /** Lists the ids of the members of a team. */
      listMembers: async (team: string): Promise<readonly Pick<User, 'id'>[]> =>
        (await listIn(keys.team(team).pk)).map(({ user }) => ({ id: String(user) })),
    },

    teamAccess: {
      findOnProject: findAccess<ProjectAccessId>('projectAccess'),
      findOnWorkspace: findAccess<WorkspaceAccessId>('workspaceAccess'),
    },

    memberships: {
      find: async (id: string, consistent: boolean): Promise<Membership | undefined> => {
        const item = isId('membership', id) ? await database.get(keys.pointer(id), consistent) : undefined;
        return item && membershipOf(item);
      },
      /** Finds the memberships of users in an organization, in no particular order. */
      findAll: async (organization: string, users: readonly string[]): Promise<readonly Membership[]> =>
        (await database.getAll(users.map((user) => keys.organizationMember(organization, user))))
          .filter(isOpen)
          .map(membershipOf),
      /** Finds the memberships of a user in organizations, in no particular order. */
      findOf: async (user: string, organizations: readonly string[]): Promise<readonly Membership[]> =>
        (await database.getAll(organizations.map((name) => keys.organizationMember(name, user))))
          .filter(isOpen)
          .map(membershipOf),
      /** Lists the memberships of an organization, sorted by user id. */
      list: async (organization: string): Promise<readonly Membership[]> =>
        (await listIn(keys.organization(organization).pk)).map(membershipOf),
    },
  };
};
