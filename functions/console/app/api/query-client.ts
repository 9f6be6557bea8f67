import { QueryClient, queryOptions } from '@tanstack/react-query';
import { isTransient, retryDelay } from './errors.ts';
import type { ApiRequest } from './request.ts';
import { send } from './send.ts';

const RETRIES = 3;

/** Creates the cache of all data that the console shows. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        networkMode: 'always',
        retry: (count, error) => count < RETRIES && isTransient(error),
        retryDelay,
      },
      mutations: {
        networkMode: 'always',
        retry: (count, error) => count < RETRIES && isTransient(error),
        retryDelay,
      },
    },
  });

/**
 * Builds the query of a request. Its key is the URL below `/api/v2`, in its segments, so that a change invalidates
 * everything below a path: `invalidate(queryClient, '/organizations/acme')`.
 */
export const apiQuery = <D>(request: ApiRequest<D>) =>
  queryOptions({
    queryKey: queryKeyOf(request.url),
    queryFn: ({ signal }) => send(request, { signal }),
  });

/** Splits a URL into its path segments and, as the last element, its query. */
export const queryKeyOf = (url: string): readonly string[] => {
  const [path = '', query] = url.replace(/^\/api\/v2/, '').split('?');
  return [...path.split('/').filter((segment) => segment !== ''), ...(query === undefined ? [] : [`?${query}`])];
};
