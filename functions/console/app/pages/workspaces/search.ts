import type { WorkspaceListQuery } from '../../api/workspaces.ts';

/** Search parameters of the list of workspaces: everything that the list shows can be sent as a link. */
export interface WorkspaceSearch {
  readonly name?: string;
  readonly project?: string;
  /** Comma-separated tags, as `name` or `key=value`. */
  readonly tags?: string;
  /** Comma-separated statuses of the current run. */
  readonly run?: string;
  readonly locked?: 'true' | 'false';
  /** Id of the holder of the lock. */
  readonly holder?: string;
  /** Comma-separated execution modes. */
  readonly mode?: string;
  readonly version?: string;
  readonly protected?: 'true' | 'false';
  readonly sort?: WorkspaceSort;
}

/** Columns that the list can be sorted by (LIST-6). */
export const sortColumns = ['name', 'current-run.created-at', 'latest-change-at', 'locked-at'] as const;
export type SortColumn = (typeof sortColumns)[number];
export type WorkspaceSort = SortColumn | `-${SortColumn}`;

const textNames = ['name', 'project', 'tags', 'run', 'holder', 'mode', 'version'] as const;
const flagNames = ['locked', 'protected'] as const;

/** Names of the filters, without the order. */
export const filterNames = [...textNames, ...flagNames];

/** Reads the search parameters of the list from a URL. Values that it does not know are left out. */
export const validateWorkspaceSearch = (search: Readonly<Record<string, unknown>>): WorkspaceSearch => {
  const texts = textNames.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const flags = flagNames.flatMap((name) =>
    search[name] === 'true' || search[name] === 'false' ? [[name, search[name]]] : [],
  );
  const sort = sortColumns
    .flatMap((column): WorkspaceSort[] => [column, `-${column}`])
    .find((value) => value === search['sort'] && value !== 'name');
  return { ...Object.fromEntries([...texts, ...flags]), ...(sort !== undefined && { sort }) };
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
export const toListQuery = (search: WorkspaceSearch): WorkspaceListQuery => ({
  ...(search.name !== undefined && { 'search[name]': search.name }),
  ...(search.project !== undefined && { 'filter[project][id]': search.project }),
  ...tagged(search.tags),
  ...(search.run !== undefined && { 'filter[current-run][status]': search.run }),
  ...(search.locked !== undefined && { 'filter[locked]': search.locked === 'true' }),
  ...(search.holder !== undefined && { 'filter[locked-by][id]': search.holder }),
  ...(search.mode !== undefined && { 'filter[execution-mode]': search.mode }),
  ...(search.version !== undefined && { 'filter[infra-version]': search.version }),
  ...(search.protected !== undefined && { 'filter[deletion-protection]': search.protected === 'true' }),
  ...(search.sort !== undefined && { sort: search.sort }),
});

/** Returns the search parameters with other values. An empty value removes a parameter. */
export const withFilter = (search: WorkspaceSearch, changes: { readonly [N in keyof WorkspaceSearch]?: string }) =>
  validateWorkspaceSearch({ ...search, ...changes });

/** Returns the search parameters with one more tag. */
export const withTag = (search: WorkspaceSearch, tag: string): WorkspaceSearch =>
  withFilter(search, { tags: [...new Set([...splitList(search.tags), tag])].join(',') });
