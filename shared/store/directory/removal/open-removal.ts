import type { NamedKind } from '../../../domain/directory/records.ts';
import { noOrganization, noRecord } from '../../../domain/directory/transitions/records.ts';
import { noUser } from '../../../domain/directory/transitions/users.ts';
import type { DomainError } from '../../../domain/errors.ts';
import { wait } from '../../../lib/clock.ts';
import type { Item } from '../../dynamodb/item.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { keyOf, recordOf, storedOf } from '../../items/record-items.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/settling.ts';
import { openRemovalStart } from './begin-removal.ts';
import { openPurge } from './purge.ts';
import { openRepairs } from './repairs.ts';

/** Rules of the second step of a deletion. */
interface FinishRules {
  /** Ends what requests in progress began to use. It can be repeated. */
  readonly endUse: () => Promise<void>;
  /** Removes the dependants of the record, and then the record. It can be repeated. */
  readonly remove: () => Promise<void>;
}

/**
 * Opens both steps of deletions. Once no request that read a deleted record before can still write, the second step
 * ends what such requests began to use, and removes the record with its dependants (REMOVE-3). It also completes first
 * steps that were interrupted.
 * @param settling milliseconds from the mark to the second step.
 * @param removeSnapshot removes the list index snapshot of an organization; only functions that finish deletions pass it.
 */
export const openRemoval = (
  directory: DirectoryWriter,
  workspaces: Workspaces,
  settling = SETTLING,
  removeSnapshot?: (organization: string) => Promise<void>,
) => {
  const { table, records } = directory;
  const { database, clock } = table;
  const start = openRemovalStart(directory, workspaces, settling);
  const { closing, usage, uses, decide, begin } = start;
  const repairs = openRepairs(directory, uses);
  const purge = openPurge(directory, closing, removeSnapshot);

  const finishRulesOf = (item: Item): FinishRules => {
    const ty = String(item['ty']);
    if (ty === 'organization') {
      const name = String(item['name']);
      return { endUse: () => repairs.deleteWorkspaces(name), remove: () => purge.removeOrganization(name) };
    }
    if (ty === 'user')
      return { endUse: () => Promise.resolve(), remove: () => purge.removeUser(storedOf('user', item).record) };
    const kind = ty as NamedKind;
    const { id, organization } = recordOf(kind, item);
    const remove = () => purge.removeRecord(kind, id);
    switch (kind) {
      case 'project':
        return { endUse: () => repairs.emptyProject(organization, id), remove: () => purge.removeProject(id) };
      case 'agentPool':
        return { endUse: () => repairs.unassignPool(organization, id), remove: () => purge.removePool(id) };
      case 'vcsConnection':
      case 'appInstallation':
        return { endUse: () => repairs.removeRepositories(kind, organization, id), remove };
      case 'sshKey':
        return { endUse: () => usage.unassignSshKey(organization, id), remove };
      case 'team':
        return { endUse: () => usage.revokeAccessOf(recordOf('team', item)), remove: () => purge.removeTeam(id) };
    }
  };

  /** Takes the second step, but not before its time: ends the use of a deleted record, and removes the record. */
  const finish = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item?.['closing'] === undefined) return;
    // Nothing refers to a user without a check, so there is nothing to wait for.
    if (item['ty'] !== 'user') {
      if (Number(item['closing']) + settling > clock()) return;
      const claim = await closing.findClaim(item);
      if (!closing.isFinal(item, claim)) {
        // The first step was interrupted. The record may still be in use.
        await decide(item, claim);
        return finish(key);
      }
    }
    const { endUse, remove } = finishRulesOf(item);
    await endUse();
    await remove();
  };

  /** Takes both steps, with the wait between them. */
  const removeNow = async (item: Item): Promise<void> => {
    const from = (await begin(item)) ?? 0;
    await wait(Math.max(0, from - clock()));
    await finish(keyOf(item));
  };

  const requireItem = (item: Item | undefined, missing: () => DomainError): Item => {
    if (item === undefined) throw missing();
    return item;
  };
  const recordItem = async (kind: NamedKind, organization: string, nameOrId: string): Promise<Item> =>
    requireItem(await records.findItem(kind, organization, nameOrId), () => noRecord(kind, nameOrId));

  return {
    begin,
    beginRecord: start.beginRecord,
    beginOrganization: start.beginOrganization,
    finish,
    recordItem,

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
