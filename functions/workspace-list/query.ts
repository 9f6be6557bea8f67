import { DomainError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import type { Direction, Filter, Order } from '../../shared/list-index/selection.ts';

/**
 * The parameters of a list (LIST-3, LIST-4). An empty one narrows nothing. One that comes twice counts twice: of
 * a comma list all values count, of any other each has to hold.
 */

const bad = (parameter: string, problem: string): DomainError =>
  new DomainError('bad-request', `${parameter} ${problem}`, { source: { parameter } });

const orders: Readonly<Record<string, Order>> = {
  name: 'name',
  'current-run.created-at': 'runAt',
  'latest-change-at': 'latestChangeAt',
};

/** @throws DomainError 400 for an order that there is not. */
export const readOrder = (query: URLSearchParams): { readonly order: Order; readonly direction: Direction } => {
  const sort = query.get('sort') || 'name';
  const [, hyphen, attribute = ''] = /^(-?)(.*)$/s.exec(sort) ?? [];
  const order = Object.hasOwn(orders, attribute) ? orders[attribute] : undefined;
  if (order === undefined) {
    throw bad(
      'sort',
      `must be one of: ${Object.keys(orders)
        .flatMap((name) => [name, `-${name}`])
        .join(', ')}`,
    );
  }
  return { order, direction: hyphen ? 'descending' : 'ascending' };
};

const bounded = (parameter: string, values: readonly string[]): readonly string[] => {
  if (values.length > limits.filterValues) throw bad(parameter, `takes at most ${limits.filterValues} values`);
  if (values.some((value) => value.length > limits.filterValue)) {
    throw bad(parameter, `takes values of at most ${limits.filterValue} characters`);
  }
  return values;
};

const values = (query: URLSearchParams, parameter: string): readonly string[] =>
  bounded(
    parameter,
    query.getAll(parameter).filter((value) => value !== ''),
  );

const commaValues = (query: URLSearchParams, parameter: string): readonly string[] =>
  bounded(parameter, [
    ...new Set(
      query
        .getAll(parameter)
        .flatMap((value) => value.split(','))
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    ),
  ]);

const TAGGED = /^filter\[tagged\]\[([^\]]*)\]\[(?:key|value)\]$/;

/** `filter[tagged][i][key]` and `[value]`: those of one `i` speak of one tag; without a value, any will do. */
const readTagged = (query: URLSearchParams): Filter['tagged'] => {
  const indexes = new Set([...query.keys()].flatMap((parameter) => TAGGED.exec(parameter)?.[1] ?? []));
  const tagged = [...indexes].flatMap((index) => {
    const parameter = `filter[tagged][${index}]`;
    const keys = values(query, `${parameter}[key]`);
    const wanted = values(query, `${parameter}[value]`);
    if (keys.length === 0 && wanted.length > 0) throw bad(`${parameter}[value]`, `needs ${parameter}[key] beside it`);
    return keys.flatMap((key) => (wanted.length === 0 ? [{ key }] : wanted.map((value) => ({ key, value }))));
  });
  if (tagged.length > limits.filterValues) throw bad('filter[tagged]', `takes at most ${limits.filterValues} tags`);
  return tagged;
};

/** @throws DomainError 400 for more, or longer, values than anybody means. */
export const readFilter = (query: URLSearchParams): Filter => ({
  names: values(query, 'search[name]'),
  wildcards: values(query, 'search[wildcard-name]'),
  tags: commaValues(query, 'search[tags]'),
  excludedTags: commaValues(query, 'search[exclude-tags]'),
  projects: values(query, 'filter[project][id]'),
  runStatuses: commaValues(query, 'filter[current-run][status]'),
  tagged: readTagged(query),
});
