import { unavailable } from '../../domain/errors.ts';
import { isAlive, isRestorable, type RestorableWorkspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { ListIndex } from '../../list-index/list-index.ts';
import { deletedRow, type RestorableRow, rowFromWorkspace } from '../../list-index/row.ts';
import type { Workspaces } from './workspace-store.ts';

/** The deleted workspaces of a page, in order, and the total number of them. */
interface DeletedPage {
  readonly count: number;
  readonly workspaces: readonly RestorableWorkspace[];
}

/** Maximum number of attempts to read a page while its workspaces change. */
const ATTEMPTS = 5;

/** Opens the reads of pages of deleted workspaces. */
export const openDeletedPages = ({ findAll }: Pick<Workspaces, 'findAll'>, clock: Clock) => ({
  /**
   * Reads the deleted workspaces of the page that `choose` selects from a list index. A workspace that was restored or
   * purged meanwhile updates the list index, and the page is selected again.
   * @throws DomainError `unavailable` if the workspaces change faster than they can be read.
   */
  read: (
    listIndex: ListIndex,
    choose: () => { readonly count: number; readonly rows: readonly RestorableRow[] },
  ): Promise<DeletedPage> => {
    const readOnce = async () => {
      const { count, rows } = choose();
      const references = rows.map(({ id }) => ({ id, hasLongText: false }));
      const found = new Map((await findAll(references, true)).map((workspace) => [workspace.id, workspace]));
      const workspaces: RestorableWorkspace[] = [];
      for (const row of rows) {
        const workspace = found.get(row.id);
        if (isRestorable(workspace, clock())) workspaces.push(workspace);
        else if (isAlive(workspace)) listIndex.apply(rowFromWorkspace(workspace));
        else
          listIndex.apply(
            workspace ? deletedRow(workspace) : { id: row.id, isDeleted: true, listedAt: row.listedAt + 1 },
          );
      }
      return workspaces.length === rows.length ? { count, workspaces } : tryAgain;
    };
    return retry(readOnce, {
      attempts: ATTEMPTS,
      exhausted: () => unavailable('The deleted workspaces change too quickly to be listed. Try again shortly.'),
    });
  },
});
