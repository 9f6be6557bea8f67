import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { isRepeated, retryDelay } from '../../../../shared/client/errors.ts';
import { cursorOf } from '../../../../shared/client/history.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Reply } from '../../../../shared/client/send.ts';
import { send } from './send.ts';

const RETRIES = 3;

/** Creates the cache of all data that the console shows. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        networkMode: 'always',
        retry: (count, error) => count < RETRIES && isRepeated(error),
        retryDelay,
      },
      mutations: {
        networkMode: 'always',
        retry: (count, error) => count < RETRIES && isRepeated(error),
        retryDelay,
      },
    },
  });

/**
 * Builds the query of a request. Its key is the URL below `/api/v2`, in its segments, so that a change invalidates
 * everything below a path: `invalidate(queryClient, '/organizations/acme')`. While another page of a list is loading, the
 * former one stays, so that the button that turns pages keeps the focus. While another text is searched for, the resources
 * that were found before stay, so that the user can submit the chosen one.
 */
export const apiQuery = <D>(request: ApiRequest<D>) => {
  const queryKey = queryKeyOf(request.url);
  return queryOptions<Reply<D>>({
    queryKey,
    queryFn: ({ signal }) => send(request, { signal }),
    placeholderData: (former, query) =>
      query !== undefined && listOf(query.queryKey) === listOf(queryKey) ? former : undefined,
  });
};

interface PageDocument {
  readonly meta: { readonly pagination: { readonly 'total-pages': number } };
}

/** Builds the query of all pages of a list, one after the other. @param request describes the request of a page */
export const allPagesQuery = <D extends PageDocument>(request: (page: number) => ApiRequest<D>) =>
  queryOptions<readonly D[]>({
    queryKey: [...queryKeyOf(request(1).url), 'all'],
    queryFn: async ({ signal }) => {
      const pages: D[] = [];
      do pages.push((await send(request(pages.length + 1), { signal })).document);
      while (pages.length < (pages[0]?.meta.pagination['total-pages'] ?? 0));
      return pages;
    },
  });

/**
 * Builds the query of a list that a cursor pages. A page can be empty and have a next one.
 * @param request describes the request of the page after a cursor
 */
export const cursorPagesQuery = <D extends { readonly links: { readonly next: string | null } }>(
  request: (after?: string) => ApiRequest<D>,
) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(request().url),
    queryFn: async ({ pageParam, signal }) => (await send(request(pageParam), { signal })).document,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ links }) => cursorOf(links?.next),
  });

/** Returns the key of a page without its number and the text in `q`, which is the same for all pages of a list. */
const listOf = (key: readonly unknown[]): string =>
  decodeURIComponent(key.join('/')).replaceAll(/(?<=[?&])(page\[number\]|q)=[^&]*&?/g, '');

/** Splits a URL into its path segments and, as the last element, its query. */
export const queryKeyOf = (url: string): readonly string[] => {
  const [path = '', query] = url.replace(/^\/api\/v2/, '').split('?');
  return [...path.split('/').filter((segment) => segment !== ''), ...(query === undefined ? [] : [`?${query}`])];
};
