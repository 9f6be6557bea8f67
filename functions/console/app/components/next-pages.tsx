import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

/** Number of elements from which a list has enough to show. */
const ENOUGH = 20;

/** Largest number of pages that are loaded without another press of the button. */
const MOST_PAGES = 10;

interface NextPagesProps {
  /** List that a cursor pages, from which a page can be empty and have a next one. */
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly unknown[] }>, unknown>;
  /** Label of the button that loads more. */
  readonly label: string;
}

/**
 * Loads further pages of a list by itself until it has enough to show, and then on demand. It stops when the user leaves. Give it
 * the filter of the list as `key`, so that another filter starts anew.
 */
export const NextPages = ({ query, label }: NextPagesProps) => {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const elements = pages.reduce((sum, page) => sum + page.data.length, 0);
  // What was loaded when the user last pressed the button.
  const [start, setStart] = useState({ pages: 0, elements: 0 });
  const isFilling =
    hasNextPage && !isError && pages.length < start.pages + MOST_PAGES && elements < start.elements + ENOUGH;
  const isDue = isFilling && !isFetching;
  // A request that is under way goes on.
  const load = () => void fetchNextPage({ cancelRefetch: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page makes the next one due again
  useEffect(() => {
    if (isDue) load();
  }, [isDue, pages.length]);
  if (!hasNextPage) return null;
  return (
    <div className="stack">
      {elements === 0 && (
        <p className="muted" role="status">
          {isFilling ? 'Nothing found so far. The search goes on.' : 'Nothing found so far.'}
        </p>
      )}
      <div>
        <Button
          isPending={isFilling || query.isFetchingNextPage}
          onClick={() => {
            setStart({ pages: pages.length, elements });
            load();
          }}
        >
          {label}
        </Button>
      </div>
    </div>
  );
};
