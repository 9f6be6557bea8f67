import type { TSchema } from 'typebox';
import { BASE_PATH } from '../routes/api.ts';
import { count, nullable, object, text } from '../schemas/schema.ts';

/** What a page says about itself (HTTP-21). */

const link = text(undefined, {
  pattern: '^https?://',
  examples: [
    `https://holdfast.example.com${BASE_PATH}/organizations/acme/workspaces?page%5Bnumber%5D=1&page%5Bsize%5D=20`,
  ],
});

export const pageLinks: TSchema = object(
  { self: link, first: link, prev: nullable(link), next: nullable(link), last: link },
  { description: 'Absolute, with the other parameters of the request; null where there is no such page.' },
);

export const pagination: TSchema = object({
  'current-page': count('The number that was asked for, also beyond the last page.', { minimum: 1 }),
  'page-size': count('At most 100, but in a list that is answered whole.', { minimum: 1 }),
  'prev-page': nullable(count(undefined, { minimum: 1 })),
  'next-page': nullable(count(undefined, { minimum: 1 })),
  'total-pages': count(undefined, { minimum: 1 }),
  'total-count': count('How many there are on all pages, of those that the caller may read.'),
});

type Parameters = Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>;

const MOST = 'More than 100 is taken for 100.';

export const pageParameters: Parameters = {
  'page[number]': {
    description: 'Which page; beyond the last one it is empty.',
    schema: count(undefined, { minimum: 1, default: 1 }),
  },
  'page[size]': {
    description: `How many on a page. ${MOST}`,
    schema: count(undefined, { minimum: 1, default: 20 }),
  },
};

/** Of a list that is answered whole unless a page is asked for. */
export const listParameters: Parameters = {
  'page[number]': {
    description: 'Which page. Without this and `page[size]` the list is answered whole.',
    schema: count(undefined, { minimum: 1 }),
  },
  'page[size]': {
    description: `How many on a page; 20 where only the number is given. ${MOST}`,
    schema: count(undefined, { minimum: 1 }),
  },
};
