import { unavailable } from '../../domain/errors.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { deletedRow, type Row, rowFromWorkspace } from '../../list-index/row.ts';
import type { Found } from '../../list-index/selection.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { projectRowOf } from '../items/index-rows.ts';
import type { Workspaces } from './workspace-store.ts';

/** Result of a list query, with the complete workspaces of the page in order. */
export interface WorkspacePage extends Omit<Found, 'rows'> {
  readonly workspaces: readonly Workspace[];
}

/** Maximum number of attempts to read a page. An attempt reads only the workspaces that changed or were added. */
const ATTEMPTS = 20;
/** Time, in milliseconds, for which the grants of a project are cached. A revoked grant ends within 5 s. */
const CONFIRMED = 4_000;

/** Opens the reads of workspace pages. The times of the last project reads are cached for each list index. */
export const openWorkspacePages = (database: Database, { findAll }: Workspaces, clock: Clock) => {
  /** Time of the last read of each project, for each list index in memory. */
  const confirmations = new WeakMap<ListIndex, Map<string, number>>();

  /**
   * Reads projects again if they are not cached. Of more than `limit`, those that were read longest ago.
   * @returns true if the list index was up to date.
   */
  const confirmProjects = async (
    listIndex: ListIndex,
    projects: readonly string[],
    limit = Number.POSITIVE_INFINITY,
  ): Promise<boolean> => {
    const confirmed = confirmations.get(listIndex) ?? new Map<string, number>();
    confirmations.set(listIndex, confirmed);
    const now = clock();
    const timeOf = (id: string): number => confirmed.get(id) ?? Number.NEGATIVE_INFINITY;
    const doubted = [...new Set(projects)]
      .filter((id) => timeOf(id) + CONFIRMED <= now)
      .sort((a, b) => Number(timeOf(a) > timeOf(b)) - Number(timeOf(a) < timeOf(b)))
      .slice(0, limit);
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

  /** Reads workspaces into `known`. Missing ones and those older than their row are read again, strongly consistent. */
  const readInto = async (rows: readonly Row[], known: Map<string, Workspace | undefined>): Promise<void> => {
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
    confirmProjects,

    /**
     * Adds the workspaces with these ids to a list index that does not contain them yet. The list index may lag, or may
     * no longer have the tombstone of a deleted workspace. Each unknown workspace is read once.
     */
    acquaint: async (listIndex: ListIndex, organization: string, ids: readonly string[]): Promise<void> => {
      const unknown = ids.filter((id) => !listIndex.knows(id));
      if (unknown.length === 0) return;
      const found = await findAll(
        unknown.map((id) => ({ id, hasLongText: false })),
        true,
      );
      const own = found.filter((workspace) => workspace.organization === organization);
      const there = new Map(own.map((workspace) => [workspace.id, workspace]));
      for (const id of unknown) {
        const workspace = there.get(id);
        if (workspace === undefined) listIndex.apply({ id, isDeleted: true, listedAt: 0 });
        else listIndex.apply(isAlive(workspace) ? rowFromWorkspace(workspace) : deletedRow(workspace));
      }
    },

    /**
     * Reads the workspaces of the page that `choose` selects from a list index. The table takes precedence: if it differs
     * from the list index, the list index is updated and the page is selected again. A list index that lags therefore
     * never shows a workspace that is deleted, no longer matches, or is no longer granted to the caller.
     * @param grantedByProjects true if the caller has rights through projects, whose grants are then read as well.
     * @throws DomainError `unavailable` if the workspaces change faster than they can be read.
     */
    read: async (listIndex: ListIndex, choose: () => Found, grantedByProjects: boolean): Promise<WorkspacePage> => {
      const known = new Map<string, Workspace | undefined>();
      const readOnce = async () => {
        const { rows, ...found } = choose();
        const [isConfirmed] = await Promise.all([
          !grantedByProjects ||
            confirmProjects(
              listIndex,
              rows.map(({ project }) => project),
            ),
          readInto(
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
        exhausted: () => unavailable('The workspaces change too quickly to be listed. Try again shortly.'),
      });
    },
  };
};

const isBehind = (workspace: Workspace | undefined, { listedAt }: Row): boolean =>
  (workspace?.listedAt ?? -1) < listedAt;

/** Returns whether the rows match their workspaces. Rows that do not match are updated in the list index. */
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
    listIndex.apply(isAlive(workspace) ? rowFromWorkspace(workspace) : { ...row, isDeleted: true });
  }
  return same;
};
