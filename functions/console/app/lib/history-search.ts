import type { HistoryFilter } from '../../../../shared/client/history.ts';

/** Filters of a history in the URL of the page, by the parameters of the API. */
const filters = {
  'filter[since]': 'since',
  'filter[until]': 'until',
  'filter[action]': 'action',
  'filter[actor]': 'actor',
} as const satisfies Record<keyof HistoryFilter, string>;

/** Values of the filters in the URL. Times are as the browser's field for a date and time has them. */
export type HistorySearch = { readonly [N in (typeof filters)[keyof HistoryFilter]]?: string };

/** Reads the filters from the search parameters of the URL. */
export const validateHistorySearch = (search: Readonly<Record<string, unknown>>): HistorySearch =>
  Object.fromEntries(
    Object.values(filters).flatMap((name) => {
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

/** Converts the filters of the URL to the filters of the API. */
export const toHistoryFilter = (search: HistorySearch): HistoryFilter =>
  Object.fromEntries(
    Object.entries(filters).map(([parameter, name]) => {
      const isTime = name === 'since' || name === 'until';
      return [parameter, isTime ? toIso(search[name]) : (search[name] ?? '')];
    }),
  ) as HistoryFilter;
