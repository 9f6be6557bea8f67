import { all, type Condition, equals, exists } from '../../../domain/changes/conditions.ts';
import type { OrganizationChange } from '../../../domain/changes/organization-changes.ts';
import type { NamedKind, User } from '../../../domain/directory/records.ts';
import type { TokenSubject } from '../../../domain/directory/tokens.ts';
import { tombstoneExpiry } from '../../../domain/transitions/workspaces/delete-workspace.ts';
import type { Item } from '../../dynamodb/item.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { organizationOf } from '../../items/directory-items.ts';
import { listRows } from '../../items/index-partitions.ts';
import {
  expiringTombstone,
  giveUpName,
  keyOf,
  membershipEnd,
  membershipRemovals,
  namedKinds,
  put,
  recordKey,
  recordOf,
  remove,
  tokenRemovals,
} from '../../items/record-items.ts';
import { openVariableSetChanges } from '../../variable-sets/variable-set-changes.ts';
import { openVariableSetCleanup } from '../../variable-sets/variable-set-cleanup.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { reservedTagKeyRemovals } from '../organizations/reserved-tag-keys.ts';
import { projectAccessIdKey } from '../projects/project-access.ts';
import { commit, done, unguarded } from '../records/commit.ts';
import { advanceListPosition, type Closing, isProject } from './close.ts';

/** DynamoDB's limit on the writes of one transaction. */
const MOST_WRITES = 100;

/**
 * Builds the tombstone of a record, with the change record of its deletion (STORE-29). That of a project is kept longer
 * than any list index in memory, so each reads the deletion.
 */
const tombstoneOf = (item: Item, change: OrganizationChange, now: number, asSeen: Condition): Write => {
  const { id, org, organization, name, l, seq } = item;
  const recorded = { id, name, chg: change, seq: Number(seq ?? 0) + 1 };
  if (!isProject(item)) {
    return put(keyOf(item), 'tombstone', { ...recorded, organization, ...expiringTombstone(now) }, asSeen);
  }
  const { set } = advanceListPosition(item, now);
  const tombstone = { ...recorded, org, l, ...set, gone: now, ttl: tombstoneExpiry(now) };
  return put(keys.project(String(id)), 'project-tombstone', tombstone, asSeen);
};

/**
 * Opens the second step of a deletion (REMOVE-1): removes a closed record with its dependants. Each removal can be
 * repeated after an interruption.
 * @param removeSnapshot removes the list index snapshot of an organization; only functions that finish deletions pass it.
 */
export const openPurge = (
  directory: DirectoryWriter,
  { close, findClaim, recordDeletion }: Closing,
  removeSnapshot?: (organization: string) => Promise<void>,
) => {
  const { table, records, request } = directory;
  const { database, clock, record } = table;
  const variableSets = openVariableSetCleanup(database, openVariableSetChanges(database, clock), clock);

  /** Deletes groups of items, each group in one transaction. Items that do not exist are ignored. */
  const removeAll = async (groups: readonly (readonly Write[])[]): Promise<void> => {
    let batch: Write[] = [];
    const flush = async () => {
      const writes = unguarded(batch);
      batch = [];
      await commit(table, async () => ({ writes, result: undefined }));
    };
    for (const group of groups) {
      if (batch.length + group.length > MOST_WRITES) await flush();
      batch.push(...group);
    }
    await flush();
  };

  const removeTokens = async (subject: TokenSubject): Promise<void> => {
    const tokens = await directory.tokensOf(subject);
    await removeAll(tokens.map(({ id, digest }) => tokenRemovals({ id: String(id), digest: String(digest), subject })));
  };

  const removeMemberships = async (partition: string): Promise<void> => {
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    await removeAll(items.map((item) => membershipRemovals(item)));
  };

  /**
   * Ends the memberships of a user, each with a change record: the organizations and teams exist longer than the user
   * (EVENT-18). Those of teams end before those of organizations.
   */
  const endMemberships = async (user: string): Promise<void> => {
    const { pk: partition } = keys.user(user);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    const isOfTeam = ({ team }: Item): boolean => team !== undefined;
    for (const item of [...items.filter(isOfTeam), ...items.filter((one) => !isOfTeam(one))]) {
      await commit(table, async (now) => {
        const present = await database.get(keyOf(item), true);
        if (present === undefined) return done(undefined);
        const type = isOfTeam(present) ? 'team-membership.deleted' : 'organization-membership.deleted';
        return { writes: unguarded(membershipEnd(present, record(type, now))), result: undefined };
      });
    }
  };

  /**
   * Replaces the item of a record by a tombstone, and removes the claim on its name unless another record has the name now.
   * @param isWithOrganization whether the organization is deleted: then no tombstone is left.
   */
  const removeRecord = (kind: NamedKind, id: string, isWithOrganization = false): Promise<void> =>
    commit(table, async (now) => {
      const item = await database.get(recordKey(kind, id), true);
      if (item === undefined || item['ty'] !== kind) return done(undefined);
      const { organization, name } = recordOf(kind, item);
      const claim = await database.get(keys.claim(organization, kind, name), true);
      const asSeen = all(exists('pk'), equals('name', name));
      const change = (item['deletion'] as OrganizationChange | undefined) ?? recordDeletion(item, now);
      const removal =
        isWithOrganization || change === undefined
          ? remove(recordKey(kind, id), asSeen)
          : tombstoneOf(item, change, now, asSeen);
      const release = claim?.['id'] === id ? [giveUpName(kind, organization, name, id)] : [];
      return { writes: unguarded([removal, ...release]), result: undefined };
    });

  const removeTeam = async (id: string, isWithOrganization = false): Promise<void> => {
    await removeTokens({ kind: 'team', id });
    await removeMemberships(keys.team(id).pk);
    await removeRecord('team', id, isWithOrganization);
  };

  const removePool = async (id: string, isWithOrganization = false): Promise<void> => {
    await removeTokens({ kind: 'agentPool', id });
    await removeRecord('agentPool', id, isWithOrganization);
  };

  const removeProject = async (id: string, isWithOrganization = false): Promise<void> => {
    const item = await database.get(keys.project(id), true);
    const teams = Object.keys((item?.['acc'] ?? {}) as object);
    await removeAll(teams.map((team) => [remove(projectAccessIdKey(id, team))]));
    await variableSets.removeProject(id, request);
    await removeRecord('project', id, isWithOrganization);
  };

  /**
   * Removes the tombstones of workspaces and projects, which hold rows in the partitions of the list index.
   * @returns false if a workspace is left: it exists, or the cleanup has yet to remove its dependants.
   */
  const removeTombstones = async (organization: string): Promise<boolean> => {
    const rows = await listRows(database, organization);
    const items = await database.getAll(rows.map(keyOf), true);
    const removable = items.filter(
      ({ gone, closing, d }) => gone !== undefined && closing === undefined && d === undefined,
    );
    await removeAll(removable.map((item) => [remove(keyOf(item))]));
    return items.every((item) => isProject(item) || removable.includes(item));
  };

  return {
    removeRecord,
    removePool,
    removeTeam,
    removeProject,

    /** Removes an organization, and then its name is free. Does nothing while dependants of its workspaces are left. */
    removeOrganization: async (name: string): Promise<void> => {
      const key = keys.organization(name);
      if (!(await removeTombstones(name))) return;
      await removeTokens({ kind: 'organization', id: name });
      // No record is created in an organization that is closing: the lists are complete.
      for (const kind of namedKinds) {
        for (const row of await records.list(kind, name)) {
          const id = String(row['id']);
          const item = await database.get(recordKey(kind, id), true);
          if (item === undefined) continue;
          if (kind === 'project') await removeProject(id, true);
          else if (kind !== 'team' && kind !== 'agentPool') await removeRecord(kind, id, true);
          else {
            await close(item, await findClaim(item), 0);
            await (kind === 'team' ? removeTeam(id, true) : removePool(id, true));
          }
        }
      }
      await variableSets.removeOrganization(name, request);
      await removeMemberships(key.pk);
      const organization = await database.get(key, true);
      if (organization !== undefined) await removeAll([reservedTagKeyRemovals(organizationOf(organization))]);
      const { snapshotAt, snapshotBegunAt } = organization ?? {};
      if (snapshotAt !== undefined || snapshotBegunAt !== undefined) await removeSnapshot?.(name);
      await commit(table, async () => {
        const item = await database.get(key, true);
        // An earlier attempt may have removed it without a response, and the name may be taken again.
        if (item?.['closing'] === undefined) return done(undefined);
        return { writes: unguarded([remove(key, exists('closing'))]), result: undefined };
      });
    },

    removeUser: async ({ id, username, email }: User): Promise<void> => {
      const key = keys.user(id);
      await removeTokens({ kind: 'user', id });
      await endMemberships(id);
      await commit(table, async () => {
        if ((await database.get(key, true)) === undefined) return done(undefined);
        const claim = remove(keys.username(username), equals('id', id));
        return {
          writes: unguarded([remove(key, exists('pk')), claim, remove(keys.email(email, id))]),
          result: undefined,
        };
      });
    },
  };
};
