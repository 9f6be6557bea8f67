import { exists } from '../../../domain/changes/conditions.ts';
import { type NamedKind, OWNERS_TEAM } from '../../../domain/directory/records.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { RequestContext } from '../../../domain/transitions/transition.ts';
import { wait } from '../../../lib/clock.ts';
import type { Item } from '../../dynamodb/item.ts';
import { type Key, keys } from '../../dynamodb/keys.ts';
import { isOpen } from '../../items/directory-items.ts';
import { accessChange, type Guarded, recordOf, update } from '../../items/record-items.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/commit.ts';
import { noOrganization } from '../records/record-store.ts';
import { noUser, userOf } from '../users/users.ts';
import { openClosing } from './close.ts';
import { openPurge } from './purge.ts';
import { openUsage } from './usage.ts';

/** The rules by which one record is deleted. */
interface RemovalRules {
  /** Throws a conflict while the record is in use, or ends its use. */
  readonly endUse: () => Promise<void>;
  /** Deletes the dependants of the record, and then the record. */
  readonly remove: () => Promise<void>;
  /** Writes in the transaction that closes the record. */
  readonly additionalWrites?: readonly Guarded[];
  /** Set if no request in progress can still write a reference to the record, so that no wait is needed. */
  readonly isSettled?: true;
}

const notRemovable = (detail: string): DomainError => new DomainError('unprocessable', detail);

const keyOf = (item: Item): Key => ({ pk: String(item['pk']), sk: String(item['sk']) });

/**
 * Opens deletions in two steps (REMOVE-1). Writes of a workspace do not check that the records to which it refers still
 * exist: all workspaces would contend for the item of one project. Instead a record is marked as closing, which every
 * reader treats as deleted. Once no request that read it before can still write, its use is checked again, and it is
 * either reopened or removed with its dependants. The function `cleanup` finishes interrupted deletions.
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
      return { endUse: () => usage.requireNoWorkspaces(name), remove: () => purge.removeOrganization(name) };
    }
    if (ty === 'user') {
      const user = userOf(item);
      return {
        // A user who is closing no longer counts as an owner.
        endUse: () => (isOpen(item) ? usage.requireOtherOwners(user) : Promise.resolve()),
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
          endUse: async () => {
            const parent = await directory.findOrganizationItem(organization);
            if (parent?.['defaultProject'] === id) throw notRemovable('The default project cannot be deleted.');
            await usage.requireEmptyProject(organization, id);
          },
          remove: () => purge.removeProject(id),
        };
      case 'agentPool':
        return { endUse: () => usage.requireUnusedPool(organization, id), remove };
      case 'vcsConnection':
      case 'appInstallation':
        return { endUse: () => usage.requireNoRepositories(kind, organization, id), remove };
      case 'sshKey':
        return { endUse: () => usage.unassignSshKey(organization, id), remove };
      case 'team': {
        const team = recordOf('team', item);
        if (team.name === OWNERS_TEAM) throw notRemovable('The owners team cannot be deleted.');
        return {
          endUse: () => usage.revokeAccessOf(team),
          remove: () => purge.removeTeam(id),
          additionalWrites: [{ write: update(keys.organization(organization), accessChange(id, []), exists('pk')) }],
        };
      }
    }
  };

  const endUseOrReopen = async (key: Key, { endUse }: RemovalRules): Promise<void> => {
    try {
      await endUse();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'conflict') await closing.reopen(key);
      throw error;
    }
  };

  /** Closes a record: from now on it is deleted for every caller. @returns the time from which it may be removed. */
  const begin = async (item: Item): Promise<number> => {
    const [key, rules] = [keyOf(item), rulesOf(item)];
    // A record in use is mostly found here, before it is closed.
    if (isOpen(item)) await rules.endUse();
    const from = await closing.close(key, rules.isSettled ? 0 : settling, rules.additionalWrites ?? []);
    await endUseOrReopen(key, rules);
    return from;
  };

  /** Removes a closed record, or reopens it if it is in use. Does nothing before the time of its removal. */
  const finish = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item === undefined || isOpen(item)) return;
    const rules = rulesOf(item);
    if (!rules.isSettled && Number(item['closing']) + settling > clock()) return;
    await endUseOrReopen(key, rules);
    await rules.remove();
  };

  /** Takes both steps, with the wait between them. */
  const removeNow = async (item: Item): Promise<void> => {
    const from = await begin(item);
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

    /** @throws DomainError 404; 409 while it has workspaces. Its name is free once everything in it is removed. */
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
