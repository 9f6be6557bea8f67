import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DocumentOf } from '../../../../shared/client/types.ts';
import { createStore } from '../lib/store.ts';
import { accountQuery } from './organizations.ts';
import { sessionToken } from './session.ts';

/**
 * The user whose page stays open after the service has rejected the token, until the user signs in again. The entries of
 * the user are in the memory of the page only, and nobody else gets to see them.
 */
export const keptFor = createStore<DocumentOf<'get', '/api/v2/account/details'>['data'] | undefined>(undefined);

/** Beginning of the tokens of users, and of their sessions (AUTH-3). Other tokens have no account. */
const USER_TOKEN = /^hf[uc]_/;

let entries = 0;

/** Keeps the page when the service rejects the token of a user while the component is mounted, because it holds entries. */
export const useKeptEntries = (): void => {
  const queryClient = useQueryClient();
  useEffect(() => {
    entries += 1;
    // A rejected token does not tell any more whose it was.
    if (USER_TOKEN.test(sessionToken() ?? '')) {
      void queryClient.prefetchQuery({ ...accountQuery(), gcTime: Number.POSITIVE_INFINITY });
    }
    return () => {
      entries -= 1;
    };
  }, [queryClient]);
};

/** Keeps the page for its user if it holds entries. @returns whether it does. */
export const keepPage = (queryClient: QueryClient): boolean => {
  const account = entries > 0 ? queryClient.getQueryData(accountQuery().queryKey) : undefined;
  if (account !== undefined) keptFor.set(account.document.data);
  return account !== undefined;
};
