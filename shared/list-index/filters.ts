import type { TSchema } from 'typebox';
import { executionModes } from '../domain/directory/records.ts';
import { hostKey, importedIdKey } from '../domain/imported-from.ts';
import { meetsVersion, resolveVersion } from '../domain/infra-versions/versions.ts';
import { limits } from '../domain/limits.ts';
import { inheritedProtection } from '../domain/workspace/workspace-record.ts';
import { flag, text, time } from '../schemas/schema.ts';
import type { ColumnOf } from './columns.ts';
import { readCommaValues, readFlags, readOneOf, readTags, readTimes, readValues } from './query-values.ts';
import {
  effectiveTagTest,
  effectiveValueTest,
  namePartTest,
  namePatternTest,
  numberTest,
  ownTagTest,
  type RowTest,
  type SearchTarget,
  stateTest,
  valueTest,
} from './row-tests.ts';
import type { Rows } from './rows.ts';
import type { Filter, FilterContext } from './selection.ts';

/** A filter of lists of workspaces. */
interface FilterDefinition<V> {
  /**
   * Schema of the query parameter for the OpenAPI document, with a description. A filter with several parameters has one
   * schema for each suffix of its name.
   */
  readonly schema: TSchema | Readonly<Record<`[${string}`, TSchema>>;
  /** Reads the values from the query. No value: the filter matches every row. */
  readonly read: (query: URLSearchParams, name: string) => readonly V[];
  /** Creates the tests that a row has to pass. `values` is not empty. */
  readonly tests: (searched: SearchTarget, values: readonly V[], context: FilterContext) => readonly RowTest[];
  /** Whether it resolves versions, for which the context needs the releases. */
  readonly needsReleases?: boolean;
}

/** A filter whose values have been read from a query. */
interface ReadFilter {
  readonly values: readonly unknown[];
  readonly needsReleases: boolean;
  readonly tests: Filter['tests'];
}

const filter = <V>({ schema, read, tests, needsReleases = false }: FilterDefinition<V>) => ({
  schema,
  read: (query: URLSearchParams, name: string): ReadFilter => {
    const values = read(query, name);
    const isUsed = values.length > 0;
    return {
      values,
      needsReleases: needsReleases && isUsed,
      tests: (searched, context) => (isUsed ? tests(searched, values, context) : []),
    };
  },
});

const infraVersionFilter = filter({
  schema: text(
    'Version of the infrastructure tool: as the workspace has it, the release that it resolves to, or a constraint, such as `< 1.6.0`, which that release meets.',
    { maxLength: limits.filterValue, examples: ['1.9.8'] },
  ),
  read: readValues,
  needsReleases: true,
  tests: ({ rows }, versions, { releases }) => [
    valueTest(rows, 'infraVersion', (own) => {
      if (own === null) return false;
      const resolved = resolveVersion(own, releases);
      return versions.every((version) => version === own || meetsVersion(resolved, version));
    }),
  ],
});

type TimeColumn = Extract<ColumnOf<'number'>, 'lockedAt' | 'latestChangeAt'>;

/** Creates a test of a time. A workspace without a state has no time of its last change. */
const timeTests = (rows: Rows, column: TimeColumn, fits: (value: number) => boolean): readonly RowTest[] => [
  numberTest(rows, column, fits),
  ...(column === 'latestChangeAt' ? [stateTest(rows)] : []),
];

/** Defines a filter for times from one on. Several times apply together. */
const sinceFilter = (column: TimeColumn, description: string) =>
  filter({
    schema: time(description),
    read: readTimes,
    tests: ({ rows }, times) => {
      const latest = Math.max(...times);
      return timeTests(rows, column, (value) => value >= latest);
    },
  });

/** Defines a filter for times before one. */
const beforeFilter = (column: TimeColumn, description: string) =>
  filter({
    schema: time(description),
    read: readTimes,
    tests: ({ rows }, times) => {
      const earliest = Math.min(...times);
      return timeTests(rows, column, (value) => value < earliest);
    },
  });

/**
 * The filters of lists of workspaces (LIST-4) by the names of their query parameters. The query is read, rows are matched
 * and the OpenAPI document is built from this table. Rows are tested in its order: the cheapest tests come first.
 *
 * Schemas are built by calls of `shared/schemas/schema.ts` only, so that `infra/build/bundle.ts` can remove them.
 */
export const filters = {
  'filter[project][id]': filter({
    schema: text('Id of the project of the workspace. An unknown one matches nothing.', {
      maxLength: limits.filterValue,
    }),
    read: readValues,
    tests: ({ rows }, ids) => [valueTest(rows, 'project', (project) => ids.every((id) => id === project))],
  }),
  'filter[current-run][status]': filter({
    schema: text('Comma-separated statuses. The workspace has a current run with one of them.', {
      examples: ['applied,planned_and_finished'],
    }),
    read: readCommaValues,
    tests: ({ rows }, statuses) => [
      valueTest(rows, 'runStatus', (status) => status !== null && statuses.includes(status)),
    ],
  }),
  'filter[locked]': filter({
    schema: flag('Whether the workspace is locked. A lock whose lease has expired does not count.'),
    read: readFlags,
    tests: ({ rows }, flags) => [
      valueTest(rows, 'lockedBy', (holder) => flags.every((isLocked) => isLocked === (holder !== null))),
    ],
  }),
  'filter[locked-by][id]': filter({
    schema: text('Id of the user, team or run that holds the lock.', { maxLength: limits.filterValue }),
    read: readValues,
    tests: ({ rows }, ids) => [valueTest(rows, 'lockedBy', (holder) => ids.every((id) => id === holder))],
  }),
  'filter[locked-since]': sinceFilter('lockedAt', 'The workspace is locked, since this time or a later one.'),
  'filter[locked-before]': beforeFilter('lockedAt', 'The workspace is locked, since a time before this one.'),
  'filter[changed-since]': sinceFilter('latestChangeAt', 'The state last changed at this time or later.'),
  'filter[changed-before]': beforeFilter(
    'latestChangeAt',
    'The state last changed before this time. Workspaces without a state do not match.',
  ),
  'filter[execution-mode]': filter({
    schema: text('Comma-separated execution modes. The effective mode is one of them.', { examples: ['agent,local'] }),
    read: (query, name) => readOneOf(query, name, executionModes),
    tests: (searched, modes, { organization }) => [
      effectiveValueTest(
        searched,
        'executionMode',
        (project) => project?.defaultExecutionMode ?? organization.defaultExecutionMode,
        (mode) => modes.includes(mode),
      ),
    ],
  }),
  'filter[infra-version]': infraVersionFilter,
  'filter[terraform-version]': infraVersionFilter,
  'filter[deletion-protection]': filter({
    schema: flag('Whether the workspace is protected against deletion, by its own value or the inherited one.'),
    read: readFlags,
    tests: (searched, flags, { organization }) => [
      effectiveValueTest(
        searched,
        'deletionProtection',
        (project) => inheritedProtection(organization, project ?? {}),
        (isProtected) => flags.every((value) => value === isProtected),
      ),
    ],
  }),
  'filter[imported-from][host]': filter({
    schema: text('Host, bucket or computer that the workspace was imported from.', {
      maxLength: limits.filterValue,
      examples: ['app.terraform.io'],
    }),
    read: readValues,
    tests: ({ rows }, hosts) => {
      const keys = hosts.map(hostKey);
      return [valueTest(rows, 'importedFrom', (key) => keys.every((host) => key?.startsWith(host)))];
    },
  }),
  'filter[imported-from][id]': filter({
    schema: text('Id or path of the workspace at the source that it was imported from.', {
      maxLength: limits.importedId,
      examples: ['ws-CvpbqPPtsWSnyrTk'],
    }),
    read: (query, name) => readValues(query, name, limits.importedId),
    tests: ({ rows }, ids) => {
      const keys = ids.map(importedIdKey);
      return [valueTest(rows, 'importedFrom', (key) => keys.every((id) => key?.endsWith(id)))];
    },
  }),
  'search[tags]': filter({
    schema: text('Comma-separated tags or keys of tag bindings. The workspace itself has all of them.'),
    read: readCommaValues,
    tests: (searched, tags) => [ownTagTest(searched, (keys) => tags.every((tag) => keys.has(tag)))],
  }),
  'search[exclude-tags]': filter({
    schema: text('Comma-separated tags or keys of tag bindings. The workspace itself has none of them.'),
    read: readCommaValues,
    tests: (searched, tags) => [ownTagTest(searched, (keys) => !tags.some((tag) => keys.has(tag)))],
  }),
  'filter[tagged]': filter({
    schema: {
      '[0][key]': text(
        'A tag, or the key of a tag binding, of the workspace or its project. For more tags, add `filter[tagged][1][key]` and so on. The workspace has all of them.',
        { maxLength: limits.filterValue },
      ),
      '[0][value]': text('Value of the tag binding with that key. Empty or absent: any value or none.', {
        maxLength: limits.filterValue,
      }),
    },
    read: readTags,
    tests: (searched, tags) => tags.map((tag) => effectiveTagTest(searched, tag)),
  }),
  'search[name]': filter({
    schema: text('Part of the name, ignoring case.', { maxLength: limits.filterValue }),
    read: readValues,
    tests: (searched, parts) => parts.map((part) => namePartTest(searched, part.toLowerCase())),
  }),
  'search[wildcard-name]': filter({
    schema: text('Pattern of the whole name, ignoring case. `*` matches any text, anywhere.', {
      maxLength: limits.filterValue,
      examples: ['*-prod'],
    }),
    read: readValues,
    tests: (searched, patterns) => patterns.map((pattern) => namePatternTest(searched, pattern.toLowerCase())),
  }),
};

/**
 * Reads the filter of a list from a query. A row has to match all parameters (LIST-3). `needsReleases` tells whether the
 * context of the selection must contain the releases.
 * @throws DomainError 400 for a parameter with too many or too long values.
 */
export const readFilter = (query: URLSearchParams): Filter & { readonly needsReleases: boolean } => {
  const read = Object.entries(filters).map(([name, definition]) => definition.read(query, name));
  return {
    key: JSON.stringify(read.map(({ values }) => values)),
    needsReleases: read.some(({ needsReleases }) => needsReleases),
    tests: (searched, context) => read.flatMap(({ tests }) => tests(searched, context)),
  };
};
