import type { TSchema } from 'typebox';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../jsonapi/pagination.ts';
import { BASE_PATH } from '../routes/api.ts';
import { count, nullable, object, text } from '../schemas/schema.ts';

/** Schemas of the query parameters, links and metadata of pages (HTTP-20, HTTP-21). */

const link = text(undefined, {
  pattern: '^https?://',
  examples: [
    `https://holdfast.example.com${BASE_PATH}/organizations/acme/workspaces?page%5Bnumber%5D=1&page%5Bsize%5D=${DEFAULT_PAGE_SIZE}`,
  ],
});

export const pageLinks: TSchema = object(
  { self: link, first: link, prev: nullable(link), next: nullable(link), last: link },
  { description: 'Absolute URLs with the other parameters of the request. A link is null if the page does not exist.' },
);

export const pagination: TSchema = object({
  'current-page': count('Requested page number. It may be beyond the last page.', { minimum: 1 }),
  'page-size': count(`At most ${MAX_PAGE_SIZE}, unless the whole list is returned.`, { minimum: 1 }),
  'prev-page': nullable(count(undefined, { minimum: 1 })),
  'next-page': nullable(count(undefined, { minimum: 1 })),
  'total-pages': count(undefined, { minimum: 1 }),
  'total-count': count('Number of elements on all pages that the caller may read.'),
});

const MOST = `Values above ${MAX_PAGE_SIZE} count as ${MAX_PAGE_SIZE}.`;

export const pageParameters = {
  'page[number]': count('Page number. A page beyond the last one is empty.', { minimum: 1, default: 1 }),
  'page[size]': count(`Number of elements on a page. ${MOST}`, { minimum: 1, default: DEFAULT_PAGE_SIZE }),
};

/** Links of a page that is read by a cursor. */
export const cursorLinks: TSchema = object(
  { self: link, next: nullable(link) },
  { description: 'Absolute URLs with the other parameters of the request. `next` is null on the last page.' },
);

/** Query parameters of a list that is read by a cursor. */
export const cursorParameters = {
  'page[after]': text('Cursor from `links.next` of the page before.'),
  'page[size]': pageParameters['page[size]'],
};

/** Query parameters of a list that is returned whole unless the request has a page parameter. */
export const listParameters = {
  'page[number]': count('Page number. Without this and `page[size]`, the whole list is returned.', { minimum: 1 }),
  'page[size]': count(
    `Number of elements on a page. Default: ${DEFAULT_PAGE_SIZE}, if the page number is given. ${MOST}`,
    { minimum: 1 },
  ),
};
