import type { ConfigurationVersion } from '../../shared/domain/runs/configuration-versions.ts';
import { currentMoment, type Run } from '../../shared/domain/runs/run.ts';
import {
  isInGroup,
  operationOf,
  readTimeframe,
  runOperations,
  runStatusGroups,
} from '../../shared/domain/runs/run-groups.ts';
import { badParameter, readCommaValues, readValues } from '../../shared/list-index/query-values.ts';
import type { Period } from '../../shared/store/runs/run-reader.ts';

/** Test of a run, and of the configuration version that it uses if that is known. */
type RunTest = (run: Run, version: ConfigurationVersion | undefined) => boolean;

/** Filter of a list of runs, read from a query (RUN-11). */
export interface RunFilter {
  readonly matches: RunTest;
  /** The period that the timeframes cover, if the filter has any. */
  readonly period?: Period;
  /** Whether the filter tests configuration versions, which must then be read. */
  readonly testsVersions: boolean;
}

/** Reads a parameter whose comma-separated values are names. @throws DomainError 400 for another value. */
const readNames = <N extends string>(query: URLSearchParams, parameter: string, names: readonly N[]): readonly N[] => {
  const values = readCommaValues(query, parameter);
  const known = names.filter((name) => values.includes(name));
  if (known.length < values.length) throw badParameter(parameter, `must be one of: ${names.join(', ')}`);
  return known;
};

/** @throws DomainError 400 for a text that is no timeframe. */
const readTimeframes = (query: URLSearchParams, now: number): readonly Period[] =>
  readCommaValues(query, 'filter[timeframe]').map((text) => {
    const timeframe = readTimeframe(text, now);
    if (timeframe === undefined) throw badParameter('filter[timeframe]', 'must be year, or the number of a year');
    return timeframe;
  });

const simpleTests = (query: URLSearchParams, timeframes: readonly Period[]): readonly RunTest[] => {
  const statuses: readonly string[] = readCommaValues(query, 'filter[status]');
  const sources = readCommaValues(query, 'filter[source]');
  const operations = readNames(query, 'filter[operation]', runOperations);
  const groups = readNames(query, 'filter[status_group]', runStatusGroups);
  return [
    ...(statuses.length > 0 ? [(run: Run) => statuses.includes(currentMoment(run).status)] : []),
    ...(sources.length > 0 ? [({ description }: Run) => sources.includes(description.source ?? '')] : []),
    ...(operations.length > 0 ? [(run: Run) => operations.includes(operationOf(run))] : []),
    ...(groups.length > 0 ? [(run: Run) => groups.some((group) => isInGroup(run, group))] : []),
    ...(timeframes.length > 0
      ? [({ createdAt }: Run) => timeframes.some(({ from, before }) => from <= createdAt && createdAt < before)]
      : []),
  ];
};

/** Builds the tests of a search. `search[basic]` counts only without the two others. */
const searchTests = (query: URLSearchParams): readonly RunTest[] => {
  const read = (parameter: string): string | undefined => readValues(query, parameter)[0]?.toLowerCase();
  const [user, commit, basic] = [read('search[user]'), read('search[commit]'), read('search[basic]')];
  const ingressOf = (version: ConfigurationVersion | undefined) => version?.description.ingress;
  const isBy = (version: ConfigurationVersion | undefined, text: string): boolean =>
    ingressOf(version)?.senderUsername?.toLowerCase() === text;
  const isOf = (version: ConfigurationVersion | undefined, text: string): boolean =>
    ingressOf(version)?.commitSha?.toLowerCase().startsWith(text) ?? false;
  if (user !== undefined || commit !== undefined) {
    return [
      ...(user === undefined ? [] : [(_: Run, version: ConfigurationVersion | undefined) => isBy(version, user)]),
      ...(commit === undefined ? [] : [(_: Run, version: ConfigurationVersion | undefined) => isOf(version, commit)]),
    ];
  }
  if (basic === undefined) return [];
  return [
    ({ id, description }, version) =>
      id.toLowerCase() === basic ||
      (description.message?.toLowerCase().includes(basic) ?? false) ||
      isBy(version, basic) ||
      isOf(version, basic),
  ];
};

/**
 * Reads the filter of a list of runs.
 * @param now time in milliseconds since the epoch.
 * @returns undefined if the query has no filter.
 * @throws DomainError 400 for a value that is not valid.
 */
export const readRunFilter = (query: URLSearchParams, now: number): RunFilter | undefined => {
  const timeframes = readTimeframes(query, now);
  const [simple, search] = [simpleTests(query, timeframes), searchTests(query)];
  const tests = [...simple, ...search];
  if (tests.length === 0) return undefined;
  return {
    matches: (run, version) => tests.every((test) => test(run, version)),
    ...(timeframes.length > 0 && {
      period: {
        from: Math.min(...timeframes.map(({ from }) => from)),
        before: Math.max(...timeframes.map(({ before }) => before)),
      },
    }),
    testsVersions: search.length > 0,
  };
};
