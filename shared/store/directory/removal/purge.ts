import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { NamedKind, Project, User } from '../../../domain/directory/records.ts';
import { unmapGroup } from '../../../domain/directory/transitions/groups.ts';
import {
  type AnyMembership,
  endMembership,
  endMembershipOfDeleted,
} from '../../../domain/directory/transitions/memberships.ts';
import type { EntityKind, Stored, Target } from '../../../domain/directory/transitions/plan.ts';
import { removeOrganization, removeRecord, removeUser } from '../../../domain/directory/transitions/removal.ts';
import { activityPartition, type Item, keys, prefixes } from '../../dynamodb/keys.ts';
import { targetKey } from '../../items/directory-writes.ts';
import { keyOf, remove } from '../../items/item-write.ts';
import { namedKinds, storedOf } from '../../items/record-items.ts';
import { openVariableSetChanges } from '../../variable-sets/variable-set-changes.ts';
import { openVariableSetCleanup } from '../../variable-sets/variable-set-cleanup.ts';
import { listRows } from '../../workspaces/find-workspaces.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { apply, type Table } from '../records/commit.ts';
import { openSessionReader } from '../sign-in/session-reader.ts';
import type { Closing } from './close.ts';
import { openRemoveItems } from './remove-items.ts';

/** Tells whether records of a kind have tokens. No token is created once such a record is closed. */
const hasTokens = (kind: EntityKind): kind is 'team' | 'agentPool' | 'workloadIdentity' =>
  kind === 'team' || kind === 'agentPool' || kind === 'workloadIdentity';

/** Opens the removal of items that belong to a record. */
const openDependants = (table: Table) => {
  const { database } = table;
  const { removeAll, removeDependants, removeTokens } = openRemoveItems(table);
  const reader = openSessionReader(database);

  const membershipItems = (partition: string): Promise<Item[]> =>
    database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
  const membershipOf = (item: Item): AnyMembership => item as unknown as AnyMembership;

  const removeMemberships = async (partition: string): Promise<void> => {
    const items = await membershipItems(partition);
    await removeDependants(items.map((item) => endMembership(membershipOf(item))));
  };

  /** Ends the memberships of a user, team memberships before organization memberships. */
  const endMemberships = async (request: RequestContext, user: string): Promise<void> => {
    const items = await membershipItems(keys.user(user).pk);
    const isOfTeam = ({ team }: Item): boolean => team !== undefined;
    for (const item of [...items.filter(isOfTeam), ...items.filter((one) => !isOfTeam(one))]) {
      await apply<undefined>(table, request, async (attempt) => {
        const present = await database.get(keyOf(item), true);
        return endMembershipOfDeleted(attempt, present && membershipOf(present));
      });
    }
  };

  /** Removes the sessions and linked identities of a user, who gets no further ones. */
  const removeSignIns = async (user: string): Promise<void> => {
    const sessions = await reader.list(keys.user(user).pk);
    const identities = await reader.listIdentities(user);
    await removeDependants([
      ...sessions.map((session) => ({ kind: 'end-session', session }) as const),
      ...identities.map((identity) => ({ kind: 'unlink-identity', identity }) as const),
    ]);
  };

  return { removeAll, removeDependants, removeTokens, removeSignIns, removeMemberships, endMemberships };
};

/**
 * Opens the second step of a deletion (REMOVE-1): removes a closed record with its dependants. Each removal can be
 * repeated after an interruption.
 * @param removeSnapshot removes the list index snapshot of an organization; only functions that finish deletions pass it.
 */
export const openPurge = (
  { table, records }: DirectoryWriter,
  { close, findClaim, read }: Closing,
  removeSnapshot?: (organization: string) => Promise<void>,
) => {
  const { database, clock } = table;
  const variableSets = openVariableSetCleanup(database, openVariableSetChanges(database, clock), clock);

  const { removeAll, removeDependants, removeTokens, removeSignIns, removeMemberships, endMemberships } =
    openDependants(table);

  const removeDependantsOf = async (request: RequestContext, { kind, id }: Target): Promise<void> => {
    if (hasTokens(kind)) await removeTokens({ kind, id });
    if (kind === 'team') {
      await removeMemberships(keys.team(id).pk);
      const { organization, ssoTeamId } = (await records.read('team', id))?.record ?? {};
      if (organization !== undefined) await removeDependants(unmapGroup({ organization, team: id }, ssoTeamId));
    }
    if (kind !== 'project') return;
    const item = await database.get(keys.project(id), true);
    const teams = Object.keys((item?.['acc'] ?? {}) as Project['access']);
    await removeDependants(teams.map((team) => ({ kind: 'delete-access-id', project: id, team })));
    await variableSets.removeProject(id, () => request);
  };

  /**
   * Removes the dependants of a record, and then the record.
   * @param isWithOrganization whether the organization is deleted: then no tombstone is left.
   */
  const removeNamed = async (
    request: RequestContext,
    kind: NamedKind,
    id: string,
    isWithOrganization = false,
  ): Promise<void> => {
    await removeDependantsOf(request, { kind, id });
    await apply<undefined>(table, request, async (attempt) => {
      const stored = (await read(targetKey({ kind, id }))) as Stored<NamedKind> | undefined;
      const claim = stored && (await findClaim(stored));
      return removeRecord(attempt, stored, claim !== undefined, isWithOrganization);
    });
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
    return items.every((item) => item['ty'] === 'project' || removable.includes(item));
  };

  /** Removes the records of an organization. None is created while it is closing: the lists are complete. */
  const removeRecords = async (request: RequestContext, organization: string): Promise<void> => {
    for (const kind of namedKinds) {
      for (const row of await records.list(kind, organization)) {
        const id = String(row['id']);
        const stored = await read(targetKey({ kind, id }));
        if (stored === undefined) continue;
        if (hasTokens(kind)) await close(request, stored, await findClaim(stored), 0);
        await removeNamed(request, kind, id, true);
      }
    }
  };

  return {
    removeRecord: removeNamed,

    /** Removes an organization, and then its name is free. Does nothing while dependants of its workspaces are left. */
    removeOrganization: async (request: RequestContext, name: string): Promise<void> => {
      const key = keys.organization(name);
      if (!(await removeTombstones(name))) return;
      await removeTokens({ kind: 'organization', id: name });
      await removeRecords(request, name);
      await variableSets.removeOrganization(name, () => request);
      await removeMemberships(key.pk);
      const numbers = await database.query({ partition: activityPartition(name), consistent: true });
      await removeAll(numbers.map((one) => [remove(keyOf(one))]));
      const item = await database.get(key, true);
      const organization = item && storedOf('organization', item).record;
      if (organization !== undefined) {
        const { ownersTeam: team, ownersTeamSamlRoleId: group } = organization;
        await removeDependants(unmapGroup({ organization: name, team }, group));
      }
      const { reservedTagKeys = [] } = organization ?? {};
      await removeDependants(reservedTagKeys.map(({ id }) => ({ kind: 'delete-tag-key-id', id })));
      const { snapshotAt, snapshotBegunAt } = item ?? {};
      if (snapshotAt !== undefined || snapshotBegunAt !== undefined) await removeSnapshot?.(name);
      await apply<undefined>(table, request, async () => removeOrganization(await records.findOrganization(name)));
    },

    removeUser: async (request: RequestContext, { id }: User): Promise<void> => {
      await removeTokens({ kind: 'user', id });
      await removeSignIns(id);
      await endMemberships(request, id);
      await apply<undefined>(table, request, async () =>
        removeUser((await read(keys.user(id))) as Stored<'user'> | undefined),
      );
    },
  };
};
