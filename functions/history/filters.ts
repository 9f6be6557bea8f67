import { DomainError } from '../../shared/domain/errors.ts';
import { historyActions } from '../../shared/domain/history/history-actions.ts';
import { prefixes } from '../../shared/domain/ids.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import { allFunctionNames } from '../../shared/runtime/environment.ts';
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

const known: ReadonlySet<string> = new Set(historyActions);
const actorPrefixes = [prefixes.user, prefixes.team, prefixes.run];
/** Ids of actors without a prefix. Refreshes of repositories have the name that their function once had. */
const otherActors: ReadonlySet<string> = new Set(['site', 'directory', ...allFunctionNames]);

/**
 * Requires that the actors of a filter are ids. Others, such as usernames, would silently find nothing.
 * @param organization name of the organization, which is the id of its token as an actor.
 * @throws DomainError 400.
 */
export const requireActorIds = ({ actors = [] }: HistoryFilter, organization: string): void => {
  for (const actor of actors) {
    if (actor === organization || otherActors.has(actor)) continue;
    if (actorPrefixes.some((prefix) => actor.startsWith(prefix))) continue;
    throw reject(
      'filter[actor]',
      `must name ids such as ${prefixes.user}… or ${prefixes.team}…: the id of the actor in an entry, not the name`,
    );
  }
};

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
  if (unknown !== undefined)
    throw reject(
      'filter[action]',
      `must name actions such as ${historyActions[0]}: the action of an entry, which is the type of an event`,
    );
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(actions !== undefined && { actions }),
    ...(actors !== undefined && { actors }),
  };
};
