import { isDeepStrictEqual } from 'node:util';
import { all, equals, exists } from '../../domain/changes/conditions.ts';
import type { Inactivity } from '../../domain/directory/records.ts';
import { DomainError } from '../../domain/errors.ts';
import { requestDestroy } from '../../domain/transitions/request-destroy.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { dueOf, inactivityOf } from '../../domain/workspace/auto-destroy.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import { isOpen, projectOf } from '../directory/directory-items.ts';
import { check, update } from '../directory/record-items.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import type { Item } from '../dynamodb/item.ts';
import { duePartitions, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import { findWorkspaces } from './find-workspaces.ts';
import { inactivityWrite } from './workspace-items.ts';
import type { Beside, Workspaces } from './workspace-store.ts';

/** Somebody changed what the decision was made from; it is made anew the next time. */
class DecidedOnOld extends Error {
  override readonly name = 'DecidedOnOld';
}

export interface AutoDestroy {
  /** Workspaces that are due, by the index, which lags behind. */
  readonly due: (until: number) => AsyncGenerator<Key>;
  /** @returns whether a destroy run was asked for. */
  readonly ask: (key: Key) => Promise<boolean>;
  /** Tells the workspaces of a project what it passes on by now, and takes its mark away. */
  readonly tell: (project: Item) => Promise<void>;
}

/** Number of workspaces that are updated at the same time. */
const CONCURRENCY = 16;
/** Number of attempts to update a workspace that other requests change at the same time. */
const ATTEMPTS = 5;

/** Asks for destroy runs when they are due (DESTROY-5). Every step can be repeated, and by several at once. */
export const openAutoDestroy = (
  database: Database,
  workspaces: Pick<Workspaces, 'find' | 'findAll' | 'apply'>,
  clock: Clock,
  newRequest: () => RequestContext,
): AutoDestroy => {
  const { find, apply } = workspaces;

  const projectItem = async (id: string): Promise<Item | undefined> => {
    const item = await database.get(keys.project(id), true);
    return isOpen(item) ? item : undefined;
  };

  /** The project still passes on what the workspace's copy says: a copy is told with delay, an order is not. */
  const stillPassing = ({ project }: Workspace, { since }: Inactivity): Beside => ({
    writes: [check(keys.project(project), equals('autoDestroySince', since))],
    refused: async () => {
      throw new DecidedOnOld();
    },
  });

  /** @returns the workspace as it is then; undefined where it is no business of the project any more. */
  const tellOne = async (first: Workspace, passed: Inactivity | undefined): Promise<Workspace | undefined> => {
    const tellOnce = async (retries: number) => {
      const image = retries === 0 ? first : await find(first.id);
      if (!isAlive(image) || image.project !== first.project) return undefined;
      if (isDeepStrictEqual(image.projectInactivity, passed)) return image;
      try {
        await database.write(inactivityWrite(image, passed));
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
      }
      return tryAgain;
    };
    return retry(tellOnce, {
      attempts: ATTEMPTS,
      onExhausted: () => {
        throw new DecidedOnOld();
      },
    });
  };

  const askOnce = async (id: string): Promise<boolean> => {
    const found = await find(id);
    if (!isAlive(found)) return false;
    let image: Workspace | undefined = found;
    if (image.settings.inheritsProjectAutoDestroy) {
      const item = await projectItem(image.project);
      image = await tellOne(image, item && inactivityOf(projectOf(item)));
    }
    const due = image && dueOf(image);
    if (image === undefined || due === undefined || due > clock()) return false;
    const request = newRequest();
    const { settings, projectInactivity: passed } = image;
    const beside = settings.inheritsProjectAutoDestroy && passed ? stillPassing(image, passed) : undefined;
    await apply(image, requestDestroy(request, clock()), request, beside);
    return true;
  };

  return {
    due: async function* (until) {
      for (const partition of duePartitions) {
        for await (const page of database.pages({ index: 'due', partition, until: sortableTime(until) })) {
          for (const { pk, sk } of page as readonly Item[]) yield { pk: String(pk), sk: String(sk) };
        }
      }
    },

    ask: async ({ pk }) => {
      try {
        return await askOnce(pk.slice(keys.workspace('').pk.length));
      } catch (error) {
        // Others asked, changed or deleted it meanwhile; what is still due is found again.
        const isOvertaken = error instanceof DomainError && ['conflict', 'not-found'].includes(error.code);
        if (isOvertaken || error instanceof DecidedOnOld) return false;
        throw error;
      }
    },

    tell: async (item) => {
      const { id, organization } = projectOf(item);
      const passed = inactivityOf(projectOf(item));
      const untold = await findWorkspaces(
        { database, workspaces },
        organization,
        ({ project, projectInactivity }) => project === id && !isDeepStrictEqual(projectInactivity, passed),
        ({ prj }) => prj === id,
      );
      await mapWithConcurrency(untold, CONCURRENCY, (workspace) => tellOne(workspace, passed));
      const asSeen = all(exists('untold'), equals('dk', String(item['dk'])));
      try {
        await database.write(update(keys.project(id), { remove: ['untold', 'd', 'dk'] }, asSeen));
      } catch (error) {
        // It is being deleted, or was changed again: it is marked for that.
        if (!(error instanceof ConditionFailed)) throw error;
      }
    },
  };
};
