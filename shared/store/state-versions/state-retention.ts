import { equals } from '../../domain/changes/conditions.ts';
import { DomainError } from '../../domain/errors.ts';
import { type RetentionPolicy, retainedFrom } from '../../domain/state-versions/retention-policy.ts';
import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import { deleteStateVersion } from '../../domain/transitions/state-versions/delete-state-version.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, keys, prefixes, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { isOpen, organizationOf } from '../items/directory-items.ts';
import { keyOf, remove } from '../items/item-write.ts';
import { stateVersionOf } from '../items/state-version-items.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';
import { ABANDONED, dependantsWrite } from './state-dependants.ts';

/** A workspace, and the default policy of its organization. */
export interface Retained {
  readonly workspace: Workspace;
  readonly byDefault: RetentionPolicy | undefined;
}

/** Another request has deleted the version meanwhile. */
class AlreadyDeleted extends Error {
  override readonly name = 'AlreadyDeleted';
}

/**
 * Applies data retention policies to state versions. Every step can be repeated, and the next run continues an
 * interrupted one, because deleted versions are not found again.
 */
export const openStateRetention = (
  database: Database,
  { findAll, find, apply }: Pick<Workspaces, 'findAll' | 'find' | 'apply'>,
  clock: Clock,
  newRequest: () => RequestContext,
) => {
  const policies = new Map<string, Promise<RetentionPolicy | undefined>>();
  const defaultOf = (organization: string): Promise<RetentionPolicy | undefined> => {
    const known =
      policies.get(organization) ??
      database
        .get(keys.organization(organization), true)
        .then((item) => (isOpen(item) ? organizationOf(item).retentionPolicy : undefined));
    policies.set(organization, known);
    return known;
  };

  const retainedOf = async (workspace: Workspace): Promise<Retained[]> => {
    if (!isAlive(workspace) || (workspace.stateVersions ?? 0) === 0) return [];
    const byDefault = await defaultOf(workspace.organization);
    const letsGo = retainedFrom(workspace, byDefault, clock()) !== undefined;
    return letsGo ? [{ workspace, byDefault }] : [];
  };

  const outputsOf = ({ workspace, id }: StateVersion): Promise<Item[]> =>
    database.query({
      partition: keys.workspace(workspace).pk,
      beginsWith: prefixes.stateOutputsOf(id),
      consistent: true,
    });

  return {
    /** Yields pages of workspaces that have state versions and a policy that deletes some of them. */
    retained: async function* (): AsyncGenerator<readonly Retained[]> {
      policies.clear();
      // Index rows contain neither policies nor state versions, so each workspace is read once a day.
      for await (const rows of database.scanPages('list')) {
        const living = rows.filter((row) => row['ty'] === 'workspace' && isOpen(row));
        const found = await findAll(living.map(({ id, x }) => ({ id: String(id), hasLongText: x !== undefined })));
        yield (await Promise.all(found.map(retainedOf))).flat();
      }
    },

    /** Yields the versions of a workspace that its policy deletes, oldest first. */
    expired: async function* ({ workspace, byDefault }: Retained): AsyncGenerator<StateVersion> {
      const from = retainedFrom(workspace, byDefault, clock());
      if (from === undefined || from <= 0) return;
      const partition = keys.workspace(workspace.id).pk;
      const range = { from: prefixes.stateVersions, until: `${prefixes.stateVersions}${sortableTime(from)}` };
      for await (const page of database.pages({ partition, ...range, consistent: true })) {
        yield* page.map(stateVersionOf);
      }
    },

    /** Deletes a version and queues its stored objects for cleanup. @returns whether the version is deleted. */
    remove: async ({ workspace: { id }, byDefault }: Retained, version: StateVersion): Promise<boolean> => {
      const image = await find(id);
      if (!isAlive(image)) return false;
      const request = newRequest();
      const key = keys.stateVersion(id, version.createdAt, version.id);
      const writes: readonly Write[] = [
        remove(key, equals('id', version.id)),
        remove(keys.stateVersionId(version.id)),
        ...(await outputsOf(version)).map((item) => remove(keyOf(item))),
        dependantsWrite(version, clock() + ABANDONED),
      ];
      try {
        await apply(image, deleteStateVersion(request, version, byDefault, clock()), request, {
          writes,
          rejected: async (_place, _image, isInDoubt) => {
            // Deleted by an earlier attempt whose response was lost, or by another request.
            if (!isInDoubt) throw new AlreadyDeleted();
          },
        });
        return true;
      } catch (error) {
        // The version is in use again, or its policy has changed.
        const isRetained = error instanceof DomainError && ['conflict', 'not-found'].includes(error.code);
        if (isRetained || error instanceof AlreadyDeleted) return false;
        throw error;
      }
    },
  };
};

export type StateRetention = ReturnType<typeof openStateRetention>;
