import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { requireMatch } from '../../../domain/changes/entity-tags.ts';
import type { NamedKind, Team } from '../../../domain/directory/records.ts';
import { isOpen, type Stored } from '../../../domain/directory/transitions/plan.ts';
import { asRevised, type SeenClaim, usedMeanwhile } from '../../../domain/directory/transitions/removal.ts';
import { requireRemovableTeam } from '../../../domain/directory/transitions/usage.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/settling.ts';
import { openClosing } from './close.ts';
import { openUses } from './find-uses.ts';
import { openUsage, type Usage } from './usage.ts';

/** Rules of the first step of a deletion. A record is either kept while it is in use, or its deletion ends the use. */
interface BeginRules {
  /** Throws a conflict while the record is in use. */
  readonly requireUnused?: () => Promise<void>;
  /** Ends every use of the record. It can be repeated. */
  readonly endUse?: (request: RequestContext) => Promise<unknown>;
  /** Set for users: no request in progress can still write a reference to one, and their names stay taken. */
  readonly isSettled?: true;
}

/** Deletes the workload identities of a team. It can be repeated. */
type RemoveIdentities = (request: RequestContext, team: Team) => Promise<void>;

/** @throws DomainError 422 for records that every organization must have. */
const beginRules = (usage: Usage, removeIdentities: RemoveIdentities, stored: Stored): BeginRules => {
  const { kind, record } = stored;
  if (kind === 'organization') return { requireUnused: () => usage.requireNoWorkspaces(record.name) };
  if (kind === 'user') {
    // A user who is closing no longer counts as an owner.
    const requireUnused = async () => (isOpen(stored) ? usage.requireOtherOwners(record) : undefined);
    return { requireUnused, isSettled: true };
  }
  const { id, organization } = record;
  switch (kind) {
    case 'project':
      return { requireUnused: () => usage.requireUnusedProject(organization, id) };
    case 'agentPool':
      return { requireUnused: () => usage.requireUnusedPool(organization, id) };
    case 'vcsConnection':
    case 'appInstallation':
      return { requireUnused: () => usage.requireNoRepositories(kind, organization, id) };
    case 'sshKey':
      return { endUse: (request) => usage.unassignSshKey(request, organization, id) };
    case 'team':
      requireRemovableTeam(record);
      return {
        endUse: (request) => Promise.all([removeIdentities(request, record), usage.revokeAccessOf(request, record)]),
      };
    case 'workloadIdentity':
      return { endUse: () => usage.removeTokensOf(record) };
  }
};

/**
 * Opens the first step of deletions (REMOVE-1). Writes of a workspace do not check that the records to which it refers
 * still exist: all workspaces would contend for the item of one project. So a record is first marked as closing, which
 * every reader treats as deleted. If it is not in use, one write makes the deletion final and releases its name.
 * @param settling milliseconds from the mark to the second step.
 */
export const openRemovalStart = (directory: DirectoryWriter, workspaces: Workspaces, settling = SETTLING) => {
  const { table, records } = directory;
  const closing = openClosing(table);
  const uses = openUses(table, workspaces);
  const usage = openUsage(directory, uses);

  /**
   * Marks a record as closing, and makes its deletion final unless the record is in use.
   * @param claim its claim on its name, read before.
   * @returns the time from which it may be removed; undefined if the deletion was final already.
   * @throws DomainError 409 if the record is in use; then it is in service again.
   */
  const decide = async (
    request: RequestContext,
    stored: Stored,
    claim: SeenClaim | undefined,
  ): Promise<number | undefined> => {
    const { requireUnused, endUse, isSettled } = beginRules(usage, removeIdentities, stored);
    const delay = isSettled ? 0 : settling;
    const deletion = await closing.close(request, stored, claim, delay);
    if (deletion === undefined) return undefined;
    try {
      await requireUnused?.();
      await endUse?.(request);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'conflict') throw error;
      if (await closing.reopen(request, deletion)) throw error;
    }
    if (!isSettled && !(await closing.finalize(request, deletion))) throw usedMeanwhile();
    return deletion.since + delay;
  };

  /**
   * Takes the first step: from now on the record is deleted for every caller.
   * @returns the time from which it may be removed; undefined if its deletion was final before.
   */
  const begin = async (request: RequestContext, stored: Stored): Promise<number | undefined> => {
    if (isOpen(stored)) requireMatch(request.precondition, asRevised(stored));
    const { requireUnused } = beginRules(usage, removeIdentities, stored);
    // A record in use is mostly found here, before it is closed.
    const [claim] = await Promise.all([closing.findClaim(stored), isOpen(stored) && requireUnused?.()]);
    return decide(request, stored, claim);
  };

  const removeIdentities: RemoveIdentities = async ({ precondition: _, ...request }, team) => {
    for (const { id } of await usage.findIdentitiesOf(team)) {
      const stored = await records.read('workloadIdentity', id);
      if (stored !== undefined) await begin(request, stored);
    }
  };

  const beginIfFound = async (request: RequestContext, stored: Stored | undefined): Promise<boolean> => {
    if (stored === undefined) return false;
    await begin(request, stored);
    return true;
  };

  return {
    closing,
    uses,
    usage,
    decide,
    begin,
    removeIdentities,

    /**
     * Starts the deletion of a record.
     * @returns false when the organization has no such record.
     * @throws DomainError 409 while it is in use; 422 for a record that every organization must have.
     */
    beginRecord: async (
      request: RequestContext,
      kind: NamedKind,
      organization: string,
      nameOrId: string,
    ): Promise<boolean> => beginIfFound(request, await records.findStored(kind, organization, nameOrId)),

    /**
     * Starts the deletion of an organization.
     * @returns false when there is no such organization.
     * @throws DomainError 409 while it has workspaces.
     */
    beginOrganization: async (request: RequestContext, name: string): Promise<boolean> =>
      beginIfFound(request, await records.findOrganization(name)),
  };
};

/** Starts deletions; the function `cleanup` finishes them. */
export type RemovalStart = Pick<ReturnType<typeof openRemovalStart>, 'beginRecord' | 'beginOrganization'>;
