import { DomainError } from '../domain/errors.ts';
import type { Document, Resource } from './document.ts';

/** A requested page (HTTP-20). */
export interface Page {
  /** Page number, starting at 1. */
  readonly number: number;
  readonly size: number;
  /** Set if a list is returned whole, because the request has no page parameter. `size` may exceed the largest page. */
  readonly whole?: true;
}

/** Number of elements on a page if the request does not state it, and the largest one (HTTP-20). */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

const positive = (query: URLSearchParams, parameter: string, otherwise: number): number => {
  const text = query.get(parameter);
  if (text === null) return otherwise;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (number < 1 || !Number.isSafeInteger(number)) {
    throw new DomainError('bad-request', `${parameter} must be a positive integer`, { source: { parameter } });
  }
  return number;
};

/**
 * Reads the requested page from a query.
 * @param usual number of elements on a page if the request does not state it.
 * @throws DomainError 400 for a number or size that is not a positive integer.
 */
export const readPage = (query: URLSearchParams, usual = DEFAULT_PAGE_SIZE, largest = MAX_PAGE_SIZE): Page => ({
  number: positive(query, 'page[number]', 1),
  size: Math.min(positive(query, 'page[size]', usual), largest),
});

/**
 * Reads the requested page of a list that is returned whole without one (HTTP-24). @returns undefined without one.
 * @throws DomainError 400 for a number or size that is not a positive integer.
 */
export const readOptionalPage = (query: URLSearchParams): Page | undefined =>
  query.has('page[number]') || query.has('page[size]') ? readPage(query) : undefined;

/** A requested page of a list that is read by a cursor (HTTP-36). */
export interface CursorPage {
  readonly size: number;
  /** Cursor of the page before; undefined for the first page. */
  readonly after: string | undefined;
}

/**
 * Reads the requested page of a list that is read by a cursor.
 * @param isCursor checks the form of a cursor.
 * @throws DomainError 400 for a size that is not a positive integer, for a page number, and for an invalid cursor.
 */
export const readCursorPage = (query: URLSearchParams, isCursor: (text: string) => boolean): CursorPage => {
  const reject = (parameter: string, detail: string) =>
    new DomainError('bad-request', detail, { source: { parameter } });
  if (query.has('page[number]')) {
    throw reject('page[number]', 'This list has no page numbers. Follow links.next, which has page[after].');
  }
  const after = query.get('page[after]') ?? undefined;
  if (after !== undefined && !isCursor(after)) throw reject('page[after]', 'page[after] is not a cursor of this list.');
  return { size: readPage(query).size, after };
};

/** Builds `links` of a page that is read by a cursor. @param next cursor of the next page; undefined for the last one. */
export const cursorLinks = (next: string | undefined, url: string, query: URLSearchParams) => {
  const link = (parameters: URLSearchParams): string => (parameters.size === 0 ? url : `${url}?${parameters}`);
  const following = new URLSearchParams(query);
  if (next !== undefined) following.set('page[after]', next);
  return { links: { self: link(query), next: next === undefined ? null : link(following) } };
};

/** Returns the only page of a list that is returned whole. */
export const singlePage = (total: number): Page => ({
  number: 1,
  size: Math.max(total, DEFAULT_PAGE_SIZE),
  whole: true,
});

/** Returns the positions of the rows of a page: `from` is inclusive, `to` is exclusive. */
export const rangeOf = ({ number, size }: Page) => ({ from: (number - 1) * size, to: number * size });

/**
 * Reads the page of a list that is returned whole unless the request has a page parameter (HTTP-24).
 * @throws DomainError 400 for a number or size that is not a positive integer.
 */
export const readPageOf = (rows: readonly unknown[], query: URLSearchParams): Page =>
  readOptionalPage(query) ?? singlePage(rows.length);

/** Returns the rows of a page; none for a page beyond the last. */
export const slice = <T>(rows: readonly T[], page: Page): readonly T[] => {
  const { from, to } = rangeOf(page);
  return rows.slice(from, to);
};

/**
 * Builds the document of a list that is returned whole unless the request has a page parameter (HTTP-24).
 * @throws DomainError 400 for a number or size that is not a positive integer.
 */
export const listDocument = <T>(
  rows: readonly T[],
  { query, url }: { readonly query: URLSearchParams; readonly url: string },
  toResource: (row: T) => Resource,
): Document => {
  const page = readPageOf(rows, query);
  return { data: slice(rows, page).map(toResource), ...paginate(page, rows.length, url, query) };
};

/**
 * Builds `links` and `meta.pagination` of a page (HTTP-21). Links are absolute and keep the other parameters. A page
 * beyond the last keeps the requested number.
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
