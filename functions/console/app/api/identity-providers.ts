import { useQuery } from '@tanstack/react-query';
import { listIdentityProviders } from '../../../../shared/client/sign-in.ts';
import { apiQuery } from './query-client.ts';

/** Returns whether the deployment has identity providers. Until that is known, it has none. */
export const useHasIdentityProviders = (): boolean => {
  const { data } = useQuery({ ...apiQuery(listIdentityProviders()), staleTime: Number.POSITIVE_INFINITY });
  return data !== undefined && data.document.data.length > 0;
};
