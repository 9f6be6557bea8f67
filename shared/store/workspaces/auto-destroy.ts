import { isDeepStrictEqual } from 'node:util';
import { all, equals, exists } from '../../domain/changes/conditions.ts';
import type { Inactivity } from '../../domain/directory/records.ts';
import { DomainError } from '../../domain/errors.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { requestDestroy } from '../../domain/transitions/workspaces/destroy-runs.ts';
import { computeDueTime, inactivityFromProject } from '../../domain/workspace/auto-destroy.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { duePartitions, type Item, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import { isOpen, projectOf } from '../items/directory-items.ts';
import { check, keyOf, update } from '../items/item-write.ts';
import { inactivityWrite } from '../items/workspace-writes.ts';
import { findWorkspaces } from './find-workspaces.ts';
import type { AdditionalWrites, Workspaces } from './workspace-store.ts';

/** The data that a decision was based on has changed. The next cleanup run decides again. */
class StaleDecision extends Error {
  override readonly name = 'StaleDecision';
}

/** Yields the keys in some partitions of the index `due` up to a time, the oldest of each partition first. */
export const findDue = async function* (
  database: Database,
  partitions: readonly string[],
  until: number,
): AsyncGenerator<Key> {
  for (const partition of partitions) {
    for await (const page of database.pages({ index: 'due', partition, until: sortableTime(until) })) {
      yield* page.map(keyOf);
    }
  }
};

/** Number of workspaces that are updated at the same time. */
const CONCURRENCY = 16;
/** Number of attempts to update a workspace that other requests change at the same time. */
const ATTEMPTS = 5;

/** Opens the requests of due destroy runs (DESTROY-5). Every step can be repeated, also concurrently. */
export const openAutoDestroy = (
  database: Database,
  workspaces: Pick<Workspaces, 'find' | 'findAll' | 'apply'>,
  clock: Clock,
  newRequest: () => RequestContext,
) => {
  const { find, apply } = workspaces;

  const projectItem = async (id: string): Promise<Item | undefined> => {
    const item = await database.get(keys.project(id), true);
    return isOpen(item) ? item : undefined;
  };

  /** Requires that the project still has the setting that the workspace inherited, because the copy may be outdated. */
  const requireUnchanged = ({ project }: Workspace, { since }: Inactivity): AdditionalWrites => ({
    writes: [check(keys.project(project), equals('autoDestroySince', since))],
    rejected: async () => {
      throw new StaleDecision();
    },
  });

  /** @returns the updated workspace; undefined if it was deleted or moved to another project. */
  const updateWorkspace = async (first: Workspace, passed: Inactivity | undefined): Promise<Workspace | undefined> => {
    const updateOnce = async (retries: number) => {
      const image = retries === 0 ? first : await find(first.id);
      if (!isAlive(image) || image.project !== first.project) return undefined;
      if (isDeepStrictEqual(image.projectInactivity, passed)) return image;
      await conditionHolds(database.write(inactivityWrite(image, passed)));
      return tryAgain;
    };
    return retry(updateOnce, {
      attempts: ATTEMPTS,
      exhausted: () => new StaleDecision(),
    });
  };

  const requestRunOnce = async (id: string): Promise<boolean> => {
    const found = await find(id);
    if (!isAlive(found)) return false;
    let image: Workspace | undefined = found;
    if (image.settings.inheritsProjectAutoDestroy) {
      const item = await projectItem(image.project);
      image = await updateWorkspace(image, item && inactivityFromProject(projectOf(item)));
    }
    const due = image && computeDueTime(image);
    if (image === undefined || due === undefined || due > clock()) return false;
    const request = newRequest();
    const { settings, projectInactivity: passed } = image;
    const additional = settings.inheritsProjectAutoDestroy && passed ? requireUnchanged(image, passed) : undefined;
    await apply(image, requestDestroy(request, clock()), request, additional);
    return true;
  };

  return {
    /** Yields the keys of workspaces that are due according to the index, which is eventually consistent. */
    due: (until: number) => findDue(database, duePartitions, until),

    /** Requests a destroy run if the workspace is still due. @returns whether a run was requested. */
    requestRun: async ({ pk }: Key): Promise<boolean> => {
      try {
        return await requestRunOnce(pk.slice(keys.workspace('').pk.length));
      } catch (error) {
        // Another request changed or deleted the workspace. If it is still due, the next cleanup run finds it.
        const isOvertaken = error instanceof DomainError && ['conflict', 'not-found'].includes(error.code);
        if (isOvertaken || error instanceof StaleDecision) return false;
        throw error;
      }
    },

    /** Copies the inactivity setting of a project to its workspaces, then removes the project from the cleanup queue. */
    updateWorkspaces: async (item: Item): Promise<void> => {
      const { id, organization } = projectOf(item);
      const passed = inactivityFromProject(projectOf(item));
      const outdated = await findWorkspaces(
        { database, workspaces },
        organization,
        ({ project, projectInactivity }) => project === id && !isDeepStrictEqual(projectInactivity, passed),
        ({ prj }) => prj === id,
      );
      await mapWithConcurrency(outdated, CONCURRENCY, (workspace) => updateWorkspace(workspace, passed));
      const asSeen = all(exists('untold'), equals('dk', String(item['dk'])));
      // The condition fails if the project is being deleted or was changed again. It is queued again for that.
      await conditionHolds(database.write(update(keys.project(id), { remove: ['untold', 'd', 'dk'] }, asSeen)));
    },
  };
};

export type AutoDestroy = ReturnType<typeof openAutoDestroy>;
