import { unavailable } from '../../domain/errors.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { deletedRow, type Row, rowFromWorkspace } from '../../list-index/row.ts';
import type { Found } from '../../list-index/selection.ts';
import { isOpen } from '../directory/directory-items.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys } from '../dynamodb/keys.ts';
import { projectRowOf } from '../list-index/index-rows.ts';
import type { Workspaces } from './workspace-store.ts';

/** What was found, with the workspaces of the page in full, in order. */
export interface WorkspacePage extends Omit<Found, 'rows'> {
  readonly workspaces: readonly Workspace[];
}

export interface Pages {
  /**
   * Reads a page of what `choose` finds in a list index. What the table says goes before what the list index knew: where
   * they differ the list index learns it, and the page is chosen anew. So an index that lags never shows a workspace
   * that is gone, changed so that it does not belong there, or no longer granted.
   * @param grantedByProjects whether a project's grants decide who reads; then they are confirmed too.
   * @throws DomainError when what is to be shown changes faster than it can be read.
   */
  readonly readPage: (listIndex: ListIndex, choose: () => Found, grantedByProjects: boolean) => Promise<WorkspacePage>;
  /**
   * Has the list index of an organization hear of workspaces that were somewhere found by their ids: its index may not
   * have brought them yet, or no longer tell that they are gone. Of each it is asked once.
   */
  readonly acquaint: (listIndex: ListIndex, organization: string, ids: readonly string[]) => Promise<void>;
}

/** How often a page is made anew because what it was made from had changed; only what is new on it is read then. */
const ATTEMPTS = 20;
/** For how long, in milliseconds, a project's grants are cached: access that is taken away ends within 5 s. */
const CONFIRMED = 4_000;

export const openPages = (database: Database, { findAll }: Workspaces, clock: Clock): Pages => {
  /** When each project of a list index was last read; goes with the list index. */
  const confirmations = new WeakMap<ListIndex, Map<string, number>>();

  /** @returns whether they are as the list index knew them. */
  const confirmProjects = async (listIndex: ListIndex, rows: readonly Row[]): Promise<boolean> => {
    const confirmed = confirmations.get(listIndex) ?? new Map<string, number>();
    confirmations.set(listIndex, confirmed);
    const now = clock();
    const doubted = [...new Set(rows.map(({ project }) => project))].filter(
      (id) => (confirmed.get(id) ?? Number.NEGATIVE_INFINITY) + CONFIRMED <= now,
    );
    if (doubted.length === 0) return true;
    const items = (await database.getAll(doubted.map(keys.project))).filter(isOpen);
    for (const id of doubted) confirmed.set(id, now);
    let same = true;
    for (const item of items) {
      const row = projectRowOf(item, String(item['org']));
      same &&= (listIndex.project(row.id)?.listedAt ?? row.listedAt) >= row.listedAt;
      listIndex.applyProject(row);
    }
    return same;
  };

  /** Reads workspaces into `known`; what is older than its row, or missing, once more as it is now. */
  const read = async (rows: readonly Row[], known: Map<string, Workspace | undefined>): Promise<void> => {
    const into = async (some: readonly Row[], consistent: boolean): Promise<void> => {
      if (some.length === 0) return;
      const found = new Map((await findAll(some, consistent)).map((workspace) => [workspace.id, workspace]));
      for (const { id } of some) known.set(id, found.get(id));
    };
    await into(rows, false);
    await into(
      rows.filter((row) => isBehind(known.get(row.id), row)),
      true,
    );
  };

  return {
    acquaint: async (listIndex, organization, ids) => {
      const unknown = ids.filter((id) => !listIndex.knows(id));
      if (unknown.length === 0) return;
      const found = await findAll(
        unknown.map((id) => ({ id, hasLongText: false })),
        true,
      );
      const alive = found.filter((workspace) => isAlive(workspace) && workspace.organization === organization);
      const there = new Map(alive.map((workspace) => [workspace.id, workspace]));
      for (const id of unknown) {
        const workspace = there.get(id);
        listIndex.apply(workspace === undefined ? deletedRow(id) : rowFromWorkspace(workspace));
      }
    },

    readPage: async (listIndex, choose, grantedByProjects) => {
      const known = new Map<string, Workspace | undefined>();
      const readOnce = async () => {
        const { rows, ...found } = choose();
        const [isConfirmed] = await Promise.all([
          !grantedByProjects || confirmProjects(listIndex, rows),
          read(
            rows.filter((row) => isBehind(known.get(row.id), row)),
            known,
          ),
        ]);
        const workspaces = rows.map(({ id }) => known.get(id));
        if (isStill(rows, workspaces, listIndex) && isConfirmed) return { ...found, workspaces };
        return tryAgain;
      };
      return retry(readOnce, {
        attempts: ATTEMPTS,
        onExhausted: () => {
          throw unavailable('The workspaces change too quickly to be listed. Try again shortly.');
        },
      });
    },
  };
};

const isBehind = (workspace: Workspace | undefined, { listedAt }: Row): boolean =>
  (workspace?.listedAt ?? -1) < listedAt;

/** Whether rows say what their workspaces say. Where they do not, the list index learns it. */
const isStill = (
  rows: readonly Row[],
  workspaces: readonly (Workspace | undefined)[],
  listIndex: ListIndex,
): workspaces is readonly Workspace[] => {
  let same = true;
  for (const [index, row] of rows.entries()) {
    const workspace = workspaces[index];
    if (isAlive(workspace) && workspace.listedAt === row.listedAt) continue;
    same = false;
    listIndex.apply(isAlive(workspace) ? rowFromWorkspace(workspace) : { ...row, gone: true });
  }
  return same;
};
