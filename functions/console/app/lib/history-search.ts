import type { HistoryEntry, HistoryFilter } from '../../../../shared/client/history.ts';

/** Filters of a history in the URL of the page, by the parameters of the API. */
const filters = {
  'filter[since]': 'since',
  'filter[until]': 'until',
  'filter[action]': 'action',
  'filter[actor]': 'actor',
} as const satisfies Record<keyof HistoryFilter, string>;

/**
 * Values of the filters in the URL. Times are as the browser's field for a date and time has them. The service does not search for
 * `text`: the console reads on until it finds entries with it.
 */
export type HistorySearch = { readonly [N in (typeof filters)[keyof HistoryFilter] | 'text']?: string };

/** Reads the filters from the search parameters of the URL. */
export const validateHistorySearch = (search: Readonly<Record<string, unknown>>): HistorySearch =>
  Object.fromEntries(
    [...Object.values(filters), 'text'].flatMap((name) => {
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

const texts = new WeakMap<HistoryEntry, string>();

/** Returns everything of an entry that people search for: the id of its resource, names, keys, values and details. */
const textOf = (entry: HistoryEntry): string => {
  const { id } = entry.relationships.resource.data;
  const { actor, changes, details, 'resource-name': name } = entry.attributes;
  const text = texts.get(entry) ?? JSON.stringify([id, name, actor.name, changes, details]).toLowerCase();
  texts.set(entry, text);
  return text;
};

/** Returns whether an entry contains a text, ignoring case. */
export const hasText = (entry: HistoryEntry, text: string): boolean =>
  // As JSON has it, without the quotation marks.
  textOf(entry).includes(JSON.stringify(text.toLowerCase()).slice(1, -1));

const padded = (number: number): string => String(number).padStart(2, '0');

/** Returns the start of a day in the form of the browser's field for a date and time. @param days number of days ago */
export const startOfDay = (days: number, now = new Date()): string => {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return `${day.getFullYear()}-${padded(day.getMonth() + 1)}-${padded(day.getDate())}T00:00`;
};
