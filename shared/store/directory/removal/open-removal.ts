import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { NamedKind } from '../../../domain/directory/records.ts';
import type { Stored } from '../../../domain/directory/transitions/plan.ts';
import { noOrganization, noRecord } from '../../../domain/directory/transitions/records.ts';
import { isFinal, targetOf } from '../../../domain/directory/transitions/removal.ts';
import { noUser } from '../../../domain/directory/transitions/users.ts';
import { wait } from '../../../lib/clock.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { targetKey } from '../../items/directory-writes.ts';
import type { Workspaces } from '../../workspaces/workspace-store.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { SETTLING } from '../records/settling.ts';
import { openRemovalStart } from './begin-removal.ts';
import { openPurge } from './purge.ts';
import { openRepairs } from './repairs.ts';
import type { Usage } from './usage.ts';

/** Rules of the second step of a deletion. */
interface FinishRules {
  /** Ends what requests in progress began to use. It can be repeated. */
  readonly endUse: () => Promise<unknown>;
  /** Removes the dependants of the record, and then the record. It can be repeated. */
  readonly remove: () => Promise<void>;
}

type RemovalSteps = ReturnType<typeof openRemovalStart>;

/** Parts of the second step. */
interface Parts {
  readonly purge: ReturnType<typeof openPurge>;
  readonly repairs: ReturnType<typeof openRepairs>;
  readonly usage: Usage;
  readonly removeIdentities: RemovalSteps['removeIdentities'];
}

const finishRules = (
  { purge, repairs, usage, removeIdentities }: Parts,
  request: RequestContext,
  { kind, record }: Stored,
): FinishRules => {
  if (kind === 'organization') {
    const { name } = record;
    return {
      endUse: () => repairs.deleteWorkspaces(request, name),
      remove: () => purge.removeOrganization(request, name),
    };
  }
  if (kind === 'user') return { endUse: () => Promise.resolve(), remove: () => purge.removeUser(request, record) };
  const { id, organization } = record;
  const remove = () => purge.removeRecord(request, kind, id);
  switch (kind) {
    case 'project':
      return { endUse: () => repairs.emptyProject(request, organization, id), remove };
    case 'agentPool':
      return { endUse: () => repairs.unassignPool(request, organization, id), remove };
    case 'vcsConnection':
    case 'appInstallation':
      return { endUse: () => repairs.removeRepositories(request, kind, organization, id), remove };
    case 'sshKey':
      return { endUse: () => usage.unassignSshKey(request, organization, id), remove };
    case 'team':
      return {
        endUse: () => Promise.all([removeIdentities(request, record), usage.revokeAccessOf(request, record)]),
        remove,
      };
    case 'workloadIdentity':
      return { endUse: () => usage.removeTokensOf(record), remove };
  }
};

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
  const { table, records, users } = directory;
  const start = openRemovalStart(directory, workspaces, settling);
  const { closing, usage, uses, decide, begin } = start;
  const parts: Parts = {
    purge: openPurge(directory, closing, removeSnapshot),
    repairs: openRepairs(directory, uses),
    usage,
    removeIdentities: start.removeIdentities,
  };

  /** Takes the second step, but not before its time: ends the use of a deleted record, and removes the record. */
  const finish = async (request: RequestContext, key: Key): Promise<void> => {
    const stored = await closing.read(key);
    if (stored?.closingSince === undefined) return;
    // Nothing refers to a user without a check, so there is nothing to wait for.
    if (stored.kind !== 'user') {
      if (stored.closingSince + settling > table.clock()) return;
      const claim = await closing.findClaim(stored);
      if (!isFinal(stored, claim)) {
        // The first step was interrupted. The record may still be in use.
        await decide(request, stored, claim);
        return finish(request, key);
      }
    }
    const { endUse, remove } = finishRules(parts, request, stored);
    await endUse();
    await remove();
  };

  /** Takes both steps, with the wait between them. */
  const removeNow = async (request: RequestContext, stored: Stored): Promise<void> => {
    const from = (await begin(request, stored)) ?? 0;
    await wait(Math.max(0, from - table.clock()));
    await finish(request, targetKey(targetOf(stored)));
  };

  const findRecord = async (kind: NamedKind, organization: string, nameOrId: string): Promise<Stored> => {
    const stored = await records.findStored(kind, organization, nameOrId);
    if (stored === undefined) throw noRecord(kind, nameOrId);
    return stored;
  };

  return {
    findRecord,
    begin,
    beginRecord: start.beginRecord,
    beginOrganization: start.beginOrganization,
    finish,

    /** @throws DomainError 404; 409 while it is in use; 422 for a record that every organization must have. */
    removeRecord: async (
      request: RequestContext,
      kind: NamedKind,
      organization: string,
      nameOrId: string,
    ): Promise<void> => {
      await removeNow(request, await findRecord(kind, organization, nameOrId));
    },

    /**
     * Deletes an organization with everything in it. If dependants of deleted workspaces are left, the cleanup removes it
     * after them. Its name stays taken until then.
     * @throws DomainError 404; 409 while it has workspaces.
     */
    removeOrganization: async (request: RequestContext, name: string): Promise<void> => {
      const stored = await records.findOrganization(name);
      if (stored === undefined) throw noOrganization();
      await removeNow(request, stored);
    },

    /** @throws DomainError 404; 409 for an only owner. Locks that the user holds stay, and can be force-unlocked. */
    removeUser: async (request: RequestContext, username: string): Promise<void> => {
      const stored = await users.find(username);
      if (stored === undefined) throw noUser(username);
      await removeNow(request, stored);
    },
  };
};

export type Removal = ReturnType<typeof openRemoval>;
