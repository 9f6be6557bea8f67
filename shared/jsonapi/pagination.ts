import { DomainError } from '../domain/errors.ts';

/** A page that was asked for (HTTP-20). */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  /** Everything, where no page was asked for; then `size` may be more than can be asked for. */
  readonly whole?: true;
}

const DEFAULT_SIZE = 20;
const MAXIMUM_SIZE = 100;

const positive = (query: URLSearchParams, parameter: string, otherwise: number): number => {
  const text = query.get(parameter);
  if (text === null) return otherwise;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (number < 1 || !Number.isSafeInteger(number)) {
    throw new DomainError('bad-request', `${parameter} must be a positive integer`, { source: { parameter } });
  }
  return number;
};

/** @throws DomainError 400 for what is not a positive integer. */
export const readPage = (query: URLSearchParams): Page => ({
  number: positive(query, 'page[number]', 1),
  size: Math.min(positive(query, 'page[size]', DEFAULT_SIZE), MAXIMUM_SIZE),
});

/**
 * The same for lists that are whole unless a page is asked for (HTTP-24): undefined where none is.
 * @throws DomainError 400 for what is not a positive integer.
 */
export const readPageIfAsked = (query: URLSearchParams): Page | undefined =>
  query.has('page[number]') || query.has('page[size]') ? readPage(query) : undefined;

/** The one page of a whole list. */
export const wholePage = (total: number): Page => ({ number: 1, size: Math.max(total, DEFAULT_SIZE), whole: true });

/** The positions of a page's rows, from one up to, not including, another. */
export const rangeOf = ({ number, size }: Page) => ({ from: (number - 1) * size, to: number * size });

/**
 * The page of a list that is whole unless one is asked for (HTTP-24).
 * @throws DomainError 400 for what is not a positive integer.
 */
export const readPageOf = (rows: readonly unknown[], query: URLSearchParams): Page =>
  readPageIfAsked(query) ?? wholePage(rows.length);

/** The rows of a page; none beyond the last. */
export const slice = <T>(rows: readonly T[], page: Page): readonly T[] => {
  const { from, to } = rangeOf(page);
  return rows.slice(from, to);
};

/**
 * `links` and `meta.pagination` of one page. Links are absolute and keep the other parameters; a page beyond the end
 * keeps the number that was asked for.
 */
export const paginate = (page: Page, total: number, url: string, query: URLSearchParams) => {
  const pages = Math.max(1, Math.ceil(total / page.size));
  const link = (number: number): string => {
    if (page.whole) return query.size === 0 ? url : `${url}?${query}`;
    const parameters = new URLSearchParams(query);
    parameters.set('page[number]', String(number));
    parameters.set('page[size]', String(page.size));
    return `${url}?${parameters}`;
  };
  const previous = page.number > 1 ? Math.min(page.number - 1, pages) : null;
  const next = page.number < pages ? page.number + 1 : null;
  return {
    links: {
      self: link(page.number),
      first: link(1),
      prev: previous === null ? null : link(previous),
      next: next === null ? null : link(next),
      last: link(pages),
    },
    meta: {
      pagination: {
        'current-page': page.number,
        'page-size': page.size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': total,
      },
    },
  };
};
