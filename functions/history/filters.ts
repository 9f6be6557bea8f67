import { changeTypes } from '../../shared/domain/changes/change-records.ts';
import { organizationChangeTypes } from '../../shared/domain/changes/organization-changes.ts';
import { REQUEST_REFUSED } from '../../shared/domain/changes/refusals.ts';
import { variableSetChangeTypes } from '../../shared/domain/changes/variable-set-changes.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { HistoryFilter } from '../../shared/store/history/history-reader.ts';

const reject = (parameter: string, detail: string): DomainError =>
  new DomainError('bad-request', `${parameter} ${detail}`, { source: { parameter } });

/** Reads a time from a query. @throws DomainError 400 for an invalid time. */
export const readTime = (query: URLSearchParams, parameter: string): number | undefined => {
  const text = query.get(parameter);
  if (text === null) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined) throw reject(parameter, 'must be a time such as 2026-01-31T12:00:00Z');
  return time;
};

const readList = (query: URLSearchParams, parameter: string): readonly string[] | undefined => {
  const names = query
    .get(parameter)
    ?.split(',')
    .map((name) => name.trim());
  if (names?.some((name) => name === '')) throw reject(parameter, 'has an empty value');
  return names;
};

const known: ReadonlySet<string> = new Set([
  ...changeTypes,
  ...variableSetChangeTypes,
  ...organizationChangeTypes,
  REQUEST_REFUSED,
]);

/**
 * Reads the filters of a history from a query (HIST-9).
 * @throws DomainError 400 for an invalid time, an empty value, and an action that does not exist.
 */
export const readHistoryFilter = (query: URLSearchParams): HistoryFilter => {
  const since = readTime(query, 'filter[since]');
  const until = readTime(query, 'filter[until]');
  const actions = readList(query, 'filter[action]');
  const actors = readList(query, 'filter[actor]');
  const unknown = actions?.find((action) => !known.has(action));
  if (unknown !== undefined) throw reject('filter[action]', `must name actions such as ${changeTypes[0]}`);
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(actions !== undefined && { actions }),
    ...(actors !== undefined && { actors }),
  };
};
