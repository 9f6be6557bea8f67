import type { Project } from '../../../domain/directory/records.ts';
import { unavailable } from '../../../domain/errors.ts';
import { retry, tryAgain } from '../../../lib/retry.ts';
import type { ListIndex } from '../../../list-index/list-index.ts';
import type { ProjectRow } from '../../../list-index/row.ts';
import type { Database } from '../../dynamodb/database.ts';
import { type Item, keys } from '../../dynamodb/keys.ts';
import { isOpen, projectOf } from '../../items/directory-items.ts';
import { projectRowOf } from '../../items/index-rows.ts';

/** The projects of a page, in order, and the total number of projects. */
interface ProjectPage {
  readonly total: number;
  readonly projects: readonly Project[];
}

/** Maximum number of attempts to read a page while its projects change. */
const ATTEMPTS = 5;

/** Opens the reads of project pages. */
export const openProjectPages = (database: Database) => {
  const listedAt = (item: Item | undefined): number => Number(item?.['lk'] ?? -1);
  const readItems = async (rows: readonly ProjectRow[], consistent: boolean): Promise<Map<string, Item>> => {
    const items = await database.getAll(
      rows.map(({ id }) => keys.project(id)),
      consistent,
    );
    return new Map(items.map((item) => [String(item['id']), item]));
  };

  /** The rows' items; those that are older than their row, or not there, are read again. */
  const read = async (rows: readonly ProjectRow[]): Promise<ReadonlyMap<string, Item>> => {
    const found = await readItems(rows, false);
    const stale = rows.filter((row) => listedAt(found.get(row.id)) < row.listedAt);
    if (stale.length === 0) return found;
    for (const { id } of stale) found.delete(id);
    return new Map([...found, ...(await readItems(stale, true))]);
  };

  return {
    /**
     * Reads the projects of the page that `choose` selects from a list index. The table takes precedence: if it differs
     * from the list index, the list index is updated and the page is selected again.
     * @throws DomainError when the projects change faster than they can be read.
     */
    read: (
      listIndex: ListIndex,
      choose: () => readonly ProjectRow[],
      { from, to }: { readonly from: number; readonly to: number },
    ): Promise<ProjectPage> => {
      const readOnce = async () => {
        const chosen = choose();
        const rows = chosen.slice(from, to);
        const items = await read(rows);
        let same = true;
        for (const row of rows) {
          const item = items.get(row.id);
          if (isOpen(item) && listedAt(item) === row.listedAt) continue;
          same = false;
          const now = Math.max(row.listedAt + 1, listedAt(item));
          listIndex.applyProject(
            isOpen(item) ? projectRowOf(item, row.organization) : { ...row, listedAt: now, isDeleted: true },
          );
        }
        if (same) return { total: chosen.length, projects: rows.map(({ id }) => projectOf(items.get(id) as Item)) };
        return tryAgain;
      };
      return retry(readOnce, {
        attempts: ATTEMPTS,
        exhausted: () => unavailable('The projects change too quickly to be listed. Try again shortly.'),
      });
    },
  };
};
