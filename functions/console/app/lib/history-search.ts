import type { HistoryFilter } from '../api/history.ts';

/** Filters of a history in the URL. Times are as the browser's field for a date and time has them. */
export interface HistorySearch {
  readonly since?: string;
  readonly until?: string;
  readonly action?: string;
  readonly actor?: string;
}

/** Reads the filters from the search parameters of the URL. */
export const validateHistorySearch = (search: Readonly<Record<string, unknown>>): HistorySearch =>
  Object.fromEntries(
    (['since', 'until', 'action', 'actor'] as const).flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );

/** Returns whether any filter is set. */
export const isFiltered = (search: HistorySearch): boolean => Object.keys(search).length > 0;

const toIso = (local: string | undefined): string => {
  const time = new Date(local ?? '');
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
};

/** Converts the filters of the URL to those of the API. */
export const toHistoryFilter = ({ since, until, action = '', actor = '' }: HistorySearch): HistoryFilter => ({
  since: toIso(since),
  until: toIso(until),
  action,
  actor,
});
