import { useQueries, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import {
  PAGE_SIZE,
  type WorkspaceListQuery,
  type WorkspacePage,
  type WorkspaceRow,
  workspacePageQuery,
} from '../../api/workspaces.ts';
import type { VirtualRows } from '../../components/virtual-table.tsx';

/** Loads the first page of the list, which has the counts of all pages. */
export const useFirstPage = (organization: string, query: WorkspaceListQuery) => {
  const previous = useRef(organization);
  const isSameOrganization = previous.current === organization;
  previous.current = organization;
  return useQuery({
    ...workspacePageQuery(organization, query, 1),
    // While the user types, the former result stays until the next one is there.
    placeholderData: (data: WorkspacePage | undefined) => (isSameOrganization ? data : undefined),
  });
};

/** Rows of the list, of which only the visible pages have been loaded. */
interface Rows {
  /** Returns a row, or undefined while its page is not loaded. */
  readonly at: (index: number) => WorkspaceRow | undefined;
  readonly loaded: readonly WorkspaceRow[];
}

/** Loads the pages that are visible. */
export const useVisiblePages = (
  organization: string,
  query: WorkspaceListQuery,
  first: WorkspacePage,
  { virtualizer }: VirtualRows,
): Rows => {
  const visible = virtualizer.getVirtualItems().map(({ index }) => Math.floor(index / PAGE_SIZE) + 1);
  const numbers = [...new Set(visible)].filter((page) => page > 1);
  const results = useQueries({ queries: numbers.map((page) => workspacePageQuery(organization, query, page)) });
  const pages = new Map<number, readonly WorkspaceRow[]>([[1, first.rows]]);
  results.forEach(({ data }, index) => {
    const page = numbers[index];
    if (data !== undefined && page !== undefined) pages.set(page, data.rows);
  });
  return {
    at: (index) => pages.get(Math.floor(index / PAGE_SIZE) + 1)?.[index % PAGE_SIZE],
    loaded: [...pages.values()].flat(),
  };
};
