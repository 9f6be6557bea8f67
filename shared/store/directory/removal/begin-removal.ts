import { requireMatch } from '../../../domain/changes/entity-tags.ts';
import { type NamedKind, OWNERS_TEAM } from '../../../domain/directory/records.ts';
import { conflict, DomainError } from '../../../domain/errors.ts';
import type { Item } from '../../dynamodb/item.ts';
import { isOpen } from '../../items/directory-items.ts';
import { recordOf, storedOf } from '../../items/record-items.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/settling.ts';
import { asRevised, type NameClaim, openClosing } from './close.ts';
import { openUses } from './find-uses.ts';
import { notRemovable, openUsage } from './usage.ts';

/** Rules of the first step of a deletion. A record is either kept while it is in use, or its deletion ends the use. */
type BeginRules = {
  /** Set for users: no request in progress can still write a reference to one, and their names stay taken. */
  readonly isSettled?: true;
} & (
  | {
      /** Throws a conflict while the record is in use. */
      readonly requireUnused: () => Promise<void>;
      readonly endUse?: never;
    }
  | {
      /** Ends every use of the record. It can be repeated. */
      readonly endUse: () => Promise<void>;
      readonly requireUnused?: never;
    }
);

/** Creates the 409 error for a record that another deletion found in use and reopened. */
const usedMeanwhile = (): DomainError => conflict('The record was used while it was being deleted. Try again.');

/**
 * Opens the first step of deletions (REMOVE-1). Writes of a workspace do not check that the records to which it refers
 * still exist: all workspaces would contend for the item of one project. So a record is first marked as closing, which
 * every reader treats as deleted. If it is not in use, one write makes the deletion final and releases its name.
 * @param settling milliseconds from the mark to the second step.
 */
export const openRemovalStart = (directory: DirectoryWriter, workspaces: Workspaces, settling = SETTLING) => {
  const { table, records, request } = directory;
  const closing = openClosing(table);
  const uses = openUses(table, workspaces, request);
  const usage = openUsage(directory, uses);

  /** @throws DomainError 422 for records that every organization must have. */
  const beginRulesOf = (item: Item): BeginRules => {
    const ty = String(item['ty']);
    if (ty === 'organization') return { requireUnused: () => usage.requireNoWorkspaces(String(item['name'])) };
    if (ty === 'user') {
      return {
        // A user who is closing no longer counts as an owner.
        requireUnused: () =>
          isOpen(item) ? usage.requireOtherOwners(storedOf('user', item).record) : Promise.resolve(),
        isSettled: true,
      };
    }
    const kind = ty as NamedKind;
    const { id, organization } = recordOf(kind, item);
    switch (kind) {
      case 'project':
        return { requireUnused: () => usage.requireUnusedProject(organization, id) };
      case 'agentPool':
        return { requireUnused: () => usage.requireUnusedPool(organization, id) };
      case 'vcsConnection':
      case 'appInstallation':
        return { requireUnused: () => usage.requireNoRepositories(kind, organization, id) };
      case 'sshKey':
        return { endUse: () => usage.unassignSshKey(organization, id) };
      case 'team': {
        const team = recordOf('team', item);
        if (team.name === OWNERS_TEAM) throw notRemovable('The owners team cannot be deleted.');
        return { endUse: () => usage.revokeAccessOf(team) };
      }
    }
  };

  /**
   * Marks a record as closing, and makes its deletion final unless the record is in use.
   * @param claim its claim on its name, read before.
   * @returns the time from which it may be removed; undefined if the deletion was final already.
   * @throws DomainError 409 if the record is in use; then it is in service again.
   */
  const decide = async (item: Item, claim: NameClaim | undefined): Promise<number | undefined> => {
    const { requireUnused, endUse, isSettled } = beginRulesOf(item);
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
    if (isOpen(item)) requireMatch(request().precondition, asRevised(item));
    const { requireUnused } = beginRulesOf(item);
    // A record in use is mostly found here, before it is closed.
    const [claim] = await Promise.all([closing.findClaim(item), isOpen(item) && requireUnused?.()]);
    return decide(item, claim);
  };

  const beginIfFound = async (item: Item | undefined): Promise<boolean> => {
    if (item === undefined) return false;
    await begin(item);
    return true;
  };

  return {
    closing,
    uses,
    usage,
    decide,
    begin,

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
  };
};

/** Starts deletions; the function `cleanup` finishes them. */
export type RemovalStart = Pick<ReturnType<typeof openRemovalStart>, 'beginRecord' | 'beginOrganization'>;
