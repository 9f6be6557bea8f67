import { type NamedKind, OWNERS_TEAM } from '../../../domain/directory/records.ts';
import { conflict, DomainError } from '../../../domain/errors.ts';
import type { RequestContext } from '../../../domain/transitions/transition.ts';
import { wait } from '../../../lib/clock.ts';
import type { Item } from '../../dynamodb/item.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { keyOf, recordOf } from '../../items/record-items.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/commit.ts';
import { noOrganization } from '../records/record-store.ts';
import { noUser, userOf } from '../users/users.ts';
import { type NameClaim, openClosing } from './close.ts';
import { openPurge } from './purge.ts';
import { notRemovable, openUsage } from './usage.ts';

/** The rules by which one record is deleted. */
interface RemovalRules {
  /** Throws a conflict while the record is in use. Absent if a deletion ends the use. */
  readonly requireUnused?: () => Promise<void>;
  /** Ends every use of the record. It can be repeated. */
  readonly endUse: () => Promise<void>;
  /** Removes the dependants of the record, and then the record. It can be repeated. */
  readonly remove: () => Promise<void>;
  /** Set for users: no request in progress can still write a reference to one, and their names stay taken. */
  readonly isSettled?: true;
}

/** Creates the 409 error for a record that another deletion found in use and reopened. */
const usedMeanwhile = (): DomainError => conflict('The record was used while it was being deleted. Try again.');

/**
 * Opens deletions in two steps (REMOVE-1). Writes of a workspace do not check that the records to which it refers still
 * exist: all workspaces would contend for the item of one project. So a record is first marked as closing, which every
 * reader treats as deleted. If it is not in use, one write makes the deletion final and releases its name. Once no request
 * that read the record before can still write, the function `cleanup` ends what such requests began to use, and removes
 * the record with its dependants. It also finishes interrupted deletions.
 * @param request returns the request on whose behalf workspaces are changed; it is called for each workspace.
 * @param settling milliseconds from the mark to the removal.
 * @param removeSnapshot removes the list index snapshot of an organization; only functions that finish deletions pass it.
 */
export const openRemoval = (
  directory: DirectoryWriter,
  workspaces: Workspaces,
  request: () => RequestContext,
  settling = SETTLING,
  removeSnapshot?: (organization: string) => Promise<void>,
) => {
  const { table, records } = directory;
  const { database, clock } = table;
  const closing = openClosing(table);
  const usage = openUsage(directory, workspaces, request);
  const purge = openPurge(directory, closing, removeSnapshot);

  /** @throws DomainError 422 for records that every organization must have. */
  const rulesOf = (item: Item): RemovalRules => {
    const ty = String(item['ty']);
    if (ty === 'organization') {
      const name = String(item['name']);
      return {
        requireUnused: () => usage.requireNoWorkspaces(name),
        endUse: () => usage.deleteWorkspaces(name),
        remove: () => purge.removeOrganization(name),
      };
    }
    if (ty === 'user') {
      const user = userOf(item);
      return {
        // A user who is closing no longer counts as an owner.
        requireUnused: () => (isOpen(item) ? usage.requireOtherOwners(user) : Promise.resolve()),
        endUse: () => Promise.resolve(),
        remove: () => purge.removeUser(user),
        isSettled: true,
      };
    }
    const kind = ty as NamedKind;
    const { id, organization } = recordOf(kind, item);
    const remove = () => purge.removeRecord(kind, id);
    switch (kind) {
      case 'project':
        return {
          requireUnused: () => usage.requireUnusedProject(organization, id),
          endUse: () => usage.emptyProject(organization, id),
          remove: () => purge.removeProject(id),
        };
      case 'agentPool':
        return {
          requireUnused: () => usage.requireUnusedPool(organization, id),
          endUse: () => usage.unassignPool(organization, id),
          remove,
        };
      case 'vcsConnection':
      case 'appInstallation':
        return {
          requireUnused: () => usage.requireNoRepositories(kind, organization, id),
          endUse: () => usage.removeRepositories(kind, organization, id),
          remove,
        };
      case 'sshKey':
        return { endUse: () => usage.unassignSshKey(organization, id), remove };
      case 'team': {
        const team = recordOf('team', item);
        if (team.name === OWNERS_TEAM) throw notRemovable('The owners team cannot be deleted.');
        return { endUse: () => usage.revokeAccessOf(team), remove: () => purge.removeTeam(id) };
      }
    }
  };

  /**
   * Marks a record as closing, and makes its deletion final unless the record is in use.
   * @param claim its claim on its name, read before.
   * @returns the time from which it may be removed; undefined if the deletion was final already.
   * @throws DomainError 409 if the record is in use; then it is in service again.
   */
  const decide = async (
    item: Item,
    claim: NameClaim | undefined,
    { requireUnused, endUse, isSettled }: RemovalRules,
  ): Promise<number | undefined> => {
    const delay = isSettled ? 0 : settling;
    const deletion = await closing.close(item, claim, delay);
    if (deletion === undefined) return undefined;
    try {
      await (requireUnused ?? endUse)();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'conflict') throw error;
      if (await closing.reopen(deletion)) throw error;
    }
    if (!isSettled && !(await closing.finalize(deletion))) throw usedMeanwhile();
    return deletion.since + delay;
  };

  /**
   * Takes the first step: from now on the record is deleted for every caller.
   * @returns the time from which it may be removed; undefined if its deletion was final before.
   */
  const begin = async (item: Item): Promise<number | undefined> => {
    const rules = rulesOf(item);
    // A record in use is mostly found here, before it is closed.
    const [claim] = await Promise.all([closing.findClaim(item), isOpen(item) && rules.requireUnused?.()]);
    return decide(item, claim, rules);
  };

  /** Takes the second step, but not before its time: ends the use of a deleted record, and removes the record. */
  const finish = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item?.['closing'] === undefined) return;
    const rules = rulesOf(item);
    if (!rules.isSettled) {
      if (Number(item['closing']) + settling > clock()) return;
      const claim = await closing.findClaim(item);
      if (!closing.isFinal(item, claim)) {
        // The first step was interrupted. The record may still be in use.
        await decide(item, claim, rules);
        return finish(key);
      }
    }
    await rules.endUse();
    await rules.remove();
  };

  /** Takes both steps, with the wait between them. */
  const removeNow = async (item: Item): Promise<void> => {
    const from = (await begin(item)) ?? 0;
    await wait(Math.max(0, from - clock()));
    await finish(keyOf(item));
  };

  const beginIfFound = async (item: Item | undefined): Promise<boolean> => {
    if (item === undefined) return false;
    await begin(item);
    return true;
  };

  const requireItem = (item: Item | undefined, missing: () => DomainError): Item => {
    if (item === undefined) throw missing();
    return item;
  };
  const recordItem = async (kind: NamedKind, organization: string, nameOrId: string): Promise<Item> =>
    requireItem(await records.findItem(kind, organization, nameOrId), () => records.missing(kind, nameOrId));

  return {
    begin,
    finish,
    recordItem,

    /**
     * Starts the deletion of a record.
     * @returns false when the organization has no such record.
     * @throws DomainError 409 while it is in use; 422 for a record that every organization must have.
     */
    beginRecord: async (kind: NamedKind, organization: string, nameOrId: string): Promise<boolean> =>
      beginIfFound(await records.findItem(kind, organization, nameOrId)),

    /**
     * Starts the deletion of an organization.
     * @returns false when there is no such organization.
     * @throws DomainError 409 while it has workspaces.
     */
    beginOrganization: async (name: string): Promise<boolean> =>
      beginIfFound(await directory.findOrganizationItem(name)),

    /** @throws DomainError 404; 409 while it is in use; 422 for a record that every organization must have. */
    removeRecord: async (kind: NamedKind, organization: string, nameOrId: string): Promise<void> =>
      removeNow(await recordItem(kind, organization, nameOrId)),

    /**
     * Deletes an organization with everything in it. If dependants of deleted workspaces are left, the cleanup removes it
     * after them. Its name stays taken until then.
     * @throws DomainError 404; 409 while it has workspaces.
     */
    removeOrganization: async (name: string): Promise<void> =>
      removeNow(requireItem(await directory.findOrganizationItem(name), noOrganization)),

    /** @throws DomainError 404; 409 for an only owner. Locks that the user holds stay, and can be force-unlocked. */
    removeUser: async (username: string): Promise<void> =>
      removeNow(requireItem(await directory.findUserItem(username), () => noUser(username))),
  };
};

export type Removal = ReturnType<typeof openRemoval>;
/** Starts deletions; the function `cleanup` finishes them. */
export type RemovalStart = Pick<Removal, 'beginRecord' | 'beginOrganization'>;
