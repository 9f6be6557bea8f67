import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { HistoryEntry } from '../api/history.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Timeline } from '../components/timeline.tsx';

/** The pages of a history that are loaded. */
export type LoadedHistory = UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly HistoryEntry[] }>, unknown>;

interface HistoryListProps {
  readonly history: LoadedHistory;
  /** Shows what each entry is about, where they are about several resources. */
  readonly areResourcesShown?: boolean;
}

/** Shows the entries of a history that are loaded, and loads older ones. A page can be empty and have a next one. */
export const HistoryList = ({ history, areResourcesShown = false }: HistoryListProps) => (
  <Loaded query={history}>
    {({ pages }) => {
      const entries = pages.flatMap(({ data }) => data);
      return (
        <>
          {entries.length === 0 && !history.hasNextPage ? (
            <EmptyState title="No change matches" />
          ) : (
            <Timeline entries={entries} areResourcesShown={areResourcesShown} />
          )}
          {history.hasNextPage && (
            <div>
              <Button isPending={history.isFetchingNextPage} onClick={() => history.fetchNextPage()}>
                Show older changes
              </Button>
            </div>
          )}
        </>
      );
    }}
  </Loaded>
);
