import { DomainError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { parseTimestamp } from '../domain/timestamps.ts';
import type { TagLabel } from './contents.ts';
import type { Direction, Order } from './selection.ts';

/** Creates the error 400 for a query parameter. */
export const badParameter = (parameter: string, problem: string): DomainError =>
  new DomainError('bad-request', `${parameter} ${problem}`, { source: { parameter } });

/** @throws DomainError 400 for too many values or a value that is too long (LIST-5). */
const bounded = (
  parameter: string,
  values: readonly string[],
  longest: number = limits.filterValue,
): readonly string[] => {
  if (values.length > limits.filterValues) throw badParameter(parameter, `takes at most ${limits.filterValues} values`);
  if (values.some((value) => value.length > longest)) {
    throw badParameter(parameter, `takes values of at most ${longest} characters`);
  }
  return values;
};

/**
 * Reads the values of a parameter, which may occur several times. Empty values are ignored.
 * @param longest maximum length of a value.
 * @throws DomainError 400 for too many values or a value that is too long.
 */
export const readValues = (query: URLSearchParams, parameter: string, longest?: number): readonly string[] =>
  bounded(
    parameter,
    query.getAll(parameter).filter((value) => value !== ''),
    longest,
  );

/**
 * Reads the distinct values of a parameter that takes comma-separated values. Empty values are ignored.
 * @throws DomainError 400 for too many values or a value that is too long.
 */
export const readCommaValues = (query: URLSearchParams, parameter: string): readonly string[] =>
  bounded(parameter, [
    ...new Set(
      query
        .getAll(parameter)
        .flatMap((value) => value.split(','))
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    ),
  ]);

/**
 * Reads the values of a parameter that is true or false. Empty values are ignored.
 * @throws DomainError 400 for any other value.
 */
export const readFlags = (query: URLSearchParams, parameter: string): readonly boolean[] =>
  readValues(query, parameter).map((value) => {
    if (value !== 'true' && value !== 'false') throw badParameter(parameter, 'must be true or false');
    return value === 'true';
  });

/**
 * Reads the values of a parameter that is a time, in milliseconds. Empty values are ignored.
 * @throws DomainError 400 for any other value.
 */
export const readTimes = (query: URLSearchParams, parameter: string): readonly number[] =>
  readValues(query, parameter).map((value) => {
    const time = parseTimestamp(value);
    if (time === undefined) throw badParameter(parameter, 'must be a timestamp such as 2027-01-31T08:00:00Z');
    return time;
  });

/**
 * Reads the distinct values of a parameter that takes comma-separated values out of a list. Empty values are ignored.
 * @throws DomainError 400 for any other value.
 */
export const readOneOf = <V extends string>(
  query: URLSearchParams,
  parameter: string,
  allowed: readonly V[],
): readonly V[] =>
  readCommaValues(query, parameter).map((value) => {
    const found = allowed.find((one) => one === value);
    if (found === undefined) throw badParameter(parameter, `must be one of: ${allowed.join(', ')}`);
    return found;
  });

/**
 * Reads tags from the parameters `<parameter>[i][key]` and `<parameter>[i][value]`. Those with the same `i` describe one
 * tag. A tag without a value matches any value.
 * @throws DomainError 400 for a value without a key, too many tags, or a text that is too long.
 */
export const readTags = (query: URLSearchParams, parameter: string): readonly TagLabel[] => {
  const indexes = new Set(
    [...query.keys()].flatMap((name) =>
      name.startsWith(parameter)
        ? (/^\[([^\]]*)\]\[(?:key|value)\]$/.exec(name.slice(parameter.length))?.[1] ?? [])
        : [],
    ),
  );
  const tags = [...indexes].flatMap((index) => {
    const tag = `${parameter}[${index}]`;
    const keys = readValues(query, `${tag}[key]`);
    const values = readValues(query, `${tag}[value]`);
    if (keys.length === 0 && values.length > 0) throw badParameter(`${tag}[value]`, `needs ${tag}[key] as well`);
    return keys.flatMap((key) => (values.length === 0 ? [{ key }] : values.map((value) => ({ key, value }))));
  });
  if (tags.length > limits.filterValues) throw badParameter(parameter, `takes at most ${limits.filterValues} tags`);
  return tags;
};

/** Sort orders by wire name (LIST-6). */
const orders: Readonly<Record<string, Order>> = {
  name: 'name',
  'current-run.created-at': 'runAt',
  'latest-change-at': 'latestChangeAt',
  'locked-at': 'lockedAt',
};

/** Returns all values of the parameter `sort`. A hyphen means descending. */
export const sortValues = (): readonly string[] => Object.keys(orders).flatMap((name) => [name, `-${name}`]);

/**
 * Reads the parameter `sort`.
 * @throws DomainError 400 for an unknown sort order.
 */
export const readOrder = (query: URLSearchParams): { readonly order: Order; readonly direction: Direction } => {
  const sort = query.get('sort') || 'name';
  const [, hyphen, attribute = ''] = /^(-?)(.*)$/s.exec(sort) ?? [];
  const order = Object.hasOwn(orders, attribute) ? orders[attribute] : undefined;
  if (order === undefined) throw badParameter('sort', `must be one of: ${sortValues().join(', ')}`);
  return { order, direction: hyphen ? 'descending' : 'ascending' };
};
