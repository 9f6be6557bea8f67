import type { TSchema } from 'typebox';
import { limits } from '../domain/limits.ts';
import { text } from '../schemas/schema.ts';
import { readCommaValues, readTags, readValues } from './query-values.ts';
import {
  effectiveTagTest,
  namePartTest,
  namePatternTest,
  ownTagTest,
  type RowTest,
  type SearchTarget,
  valueTest,
} from './row-tests.ts';
import type { Filter } from './selection.ts';

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
  readonly tests: (searched: SearchTarget, values: readonly V[]) => readonly RowTest[];
}

/** A filter whose values have been read from a query. */
interface ReadFilter {
  readonly values: readonly unknown[];
  readonly tests: (searched: SearchTarget) => readonly RowTest[];
}

const filter = <V>({ schema, read, tests }: FilterDefinition<V>) => ({
  schema,
  read: (query: URLSearchParams, name: string): ReadFilter => {
    const values = read(query, name);
    return { values, tests: (searched) => (values.length === 0 ? [] : tests(searched, values)) };
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
    schema: text('Id of the project of the workspace.', { maxLength: limits.filterValue }),
    read: readValues,
    tests: ({ rows }, ids) => [valueTest(rows, 'project', (project) => ids.every((id) => id === project))],
  }),
  'filter[current-run][status]': filter({
    schema: text('Comma-separated statuses. The current run of the workspace has one of them.', {
      examples: ['applied,planned_and_finished'],
    }),
    read: readCommaValues,
    tests: ({ rows }, statuses) => [
      valueTest(rows, 'runStatus', (status) => status !== null && statuses.includes(status)),
    ],
  }),
  'search[tags]': filter({
    schema: text('Comma-separated tags or keys of tag bindings. The workspace has all of them.'),
    read: readCommaValues,
    tests: (searched, tags) => [ownTagTest(searched, (keys) => tags.every((tag) => keys.has(tag)))],
  }),
  'search[exclude-tags]': filter({
    schema: text('Comma-separated tags or keys of tag bindings. The workspace has none of them.'),
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
    schema: text('Pattern of the whole name, ignoring case. `*` matches any text.', {
      maxLength: limits.filterValue,
      examples: ['*-prod'],
    }),
    read: readValues,
    tests: (searched, patterns) => patterns.map((pattern) => namePatternTest(searched, pattern.toLowerCase())),
  }),
};

/**
 * Reads the filter of a list from a query. A row has to match all parameters (LIST-3).
 * @throws DomainError 400 for a parameter with too many or too long values.
 */
export const readFilter = (query: URLSearchParams): Filter => {
  const read = Object.entries(filters).map(([name, definition]) => definition.read(query, name));
  return {
    key: JSON.stringify(read.map(({ values }) => values)),
    tests: (searched) => read.flatMap(({ tests }) => tests(searched)),
  };
};
