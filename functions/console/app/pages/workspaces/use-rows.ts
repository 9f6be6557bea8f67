import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkspaceListQuery } from '../../../../../shared/client/workspaces.ts';
import { PAGE_SIZE, type WorkspacePage, type WorkspaceRow, workspacePageQuery } from '../../api/workspaces.ts';
import type { VirtualRows } from '../../components/virtual-table.tsx';
import { runAll } from '../../lib/run-all.ts';

/** Loads the first page of the list, which has the counts of all pages. */
export const useFirstPage = (organization: string, query: WorkspaceListQuery) =>
  useQuery({
    ...workspacePageQuery(organization, query, 1),
    // While the user types, the former result stays until the next one is there.
    placeholderData: keepPreviousData,
  });

/** Rows of the list, of which only the visible pages have been loaded. */
interface Rows {
  /** Returns a row, or undefined while its page is not loaded. */
  readonly at: (index: number) => WorkspaceRow | undefined;
  readonly loaded: readonly WorkspaceRow[];
  /** Loads the rows from one index to another, both included. */
  readonly load: (from: number, to: number) => Promise<readonly WorkspaceRow[]>;
}

const pageOf = (index: number): number => Math.floor(index / PAGE_SIZE) + 1;

/** Loads the pages that are visible. */
export const useVisiblePages = (
  organization: string,
  query: WorkspaceListQuery,
  first: WorkspacePage,
  { virtualizer }: VirtualRows,
): Rows => {
  const queryClient = useQueryClient();
  const visible = virtualizer.getVirtualItems().map(({ index }) => pageOf(index));
  const numbers = [...new Set(visible)].filter((page) => page > 1);
  const results = useQueries({ queries: numbers.map((page) => workspacePageQuery(organization, query, page)) });
  const pages = new Map<number, readonly WorkspaceRow[]>([[1, first.rows]]);
  results.forEach(({ data }, index) => {
    const page = numbers[index];
    if (data !== undefined && page !== undefined) pages.set(page, data.rows);
  });
  return {
    at: (index) => pages.get(pageOf(index))?.[index % PAGE_SIZE],
    loaded: [...pages.values()].flat(),
    load: async (from, to) => {
      const loaded = new Map<number, readonly WorkspaceRow[]>();
      const load = async (page: number) => {
        loaded.set(page, (await queryClient.ensureQueryData(workspacePageQuery(organization, query, page))).rows);
      };
      const range = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
      await runAll([...new Set(range.map(pageOf))], load);
      return range.flatMap((index) => loaded.get(pageOf(index))?.[index % PAGE_SIZE] ?? []);
    },
  };
};
