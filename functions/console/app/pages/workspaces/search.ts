import type { WorkspaceFilter, WorkspaceListQuery } from '../../../../../shared/client/workspaces.ts';

/** Filters of the API that the list does not offer: another name, and searches that the other filters are enough for. */
type NotOffered =
  | 'filter[terraform-version]'
  | 'search[exclude-tags]'
  | 'search[tags]'
  | 'search[wildcard-name]'
  // The command line finds what was imported.
  | 'filter[imported-from][host]'
  | 'filter[imported-from][id]'
  // It goes with each key.
  | 'filter[tagged][0][value]';

/** Filters of the list in the URL of the page, by the parameters of the API (LIST-4). */
const filters = {
  'search[name]': 'name',
  'filter[project][id]': 'project',
  /** Comma-separated tags, as `name` or `key=value`. */
  'filter[tagged][0][key]': 'tags',
  /** Comma-separated statuses of the current run. */
  'filter[current-run][status]': 'run',
  /** Id of the holder of the lock. */
  'filter[locked-by][id]': 'holder',
  /** Comma-separated execution modes. */
  'filter[execution-mode]': 'mode',
  'filter[infra-version]': 'version',
  'filter[locked]': 'locked',
  'filter[locked-since]': 'locked-since',
  'filter[locked-before]': 'locked-before',
  'filter[changed-since]': 'changed-since',
  'filter[changed-before]': 'changed-before',
  'filter[deletion-protection]': 'protected',
} as const satisfies Record<Exclude<WorkspaceFilter, NotOffered>, string>;

export type FilterName = (typeof filters)[keyof typeof filters];

/** Names of the filters, without the order. */
export const filterNames = Object.values(filters);

const flagNames: readonly FilterName[] = ['locked', 'protected'];

/** Filters by times, which only links of the home set. */
export const timeNames = [
  'locked-since',
  'locked-before',
  'changed-since',
  'changed-before',
] as const satisfies readonly FilterName[];

/** Returns whether a filter is by a time. */
export const isTimeName = (name: FilterName): name is (typeof timeNames)[number] =>
  timeNames.some((known) => known === name);

/** Returns whether a value of the URL can be that of a filter. */
const isValue = (name: FilterName, value: string): boolean => {
  if (flagNames.includes(name)) return value === 'true' || value === 'false';
  return isTimeName(name) ? !Number.isNaN(Date.parse(value)) : value !== '';
};

export type WorkspaceSort = NonNullable<WorkspaceListQuery['sort']>;

/** Orders of the list (LIST-6). The headings of the table sort, too; narrow screens have none. */
export const sortLabels: Readonly<Record<WorkspaceSort, string>> = {
  name: 'Name',
  '-name': 'Name, Z to A',
  '-latest-change-at': 'State changed, newest first',
  'latest-change-at': 'State changed, oldest first',
  '-current-run.created-at': 'Current run, newest first',
  'current-run.created-at': 'Current run, oldest first',
  'locked-at': 'Lock, oldest first',
  '-locked-at': 'Lock, newest first',
};

/** Columns that the list can be sorted by. */
export type SortColumn = Exclude<WorkspaceSort, `-${string}`>;

/** Search parameters of the list of workspaces: everything that the list shows can be sent as a link. */
export type WorkspaceSearch = { readonly [N in FilterName]?: string } & { readonly sort?: WorkspaceSort };

/** Reads the search parameters of the list from a URL. Values that it does not know are left out. */
export const validateWorkspaceSearch = (search: Readonly<Record<string, unknown>>): WorkspaceSearch => {
  const found = filterNames.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && isValue(name, value) ? [[name, value]] : [];
  });
  const { sort } = search;
  const isSorted = typeof sort === 'string' && sort !== 'name' && Object.hasOwn(sortLabels, sort);
  return { ...Object.fromEntries(found), ...(isSorted && { sort: sort as WorkspaceSort }) };
};

/** Splits a comma-separated list. */
export const splitList = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Splits a tag as the user writes it: `name`, or `key=value`. */
export const splitTag = (tag: string): { readonly key: string; readonly value: string } => {
  const at = tag.indexOf('=');
  return at < 1 ? { key: tag, value: '' } : { key: tag.slice(0, at), value: tag.slice(at + 1) };
};

const tagged = (tags: string | undefined) =>
  Object.fromEntries(
    splitList(tags).flatMap((tag, index) => {
      const { key, value } = splitTag(tag);
      return [
        [`filter[tagged][${index}][key]`, key],
        [`filter[tagged][${index}][value]`, value],
      ];
    }),
  );

/** Builds the query of the API for the list (LIST-4). */
export const toListQuery = ({ tags, sort, ...search }: WorkspaceSearch): WorkspaceListQuery => ({
  ...Object.fromEntries(
    Object.entries(filters).flatMap(([parameter, name]) =>
      name === 'tags' || search[name] === undefined ? [] : [[parameter, search[name]]],
    ),
  ),
  ...tagged(tags),
  ...(sort !== undefined && { sort }),
});

/** Returns the search parameters with other values. An empty value removes a parameter. */
export const withFilter = (search: WorkspaceSearch, changes: { readonly [N in keyof WorkspaceSearch]?: string }) =>
  validateWorkspaceSearch({ ...search, ...changes });

/** Returns the search parameters with one more tag. */
export const withTag = (search: WorkspaceSearch, tag: string): WorkspaceSearch =>
  withFilter(search, { tags: [...new Set([...splitList(search.tags), tag])].join(',') });
