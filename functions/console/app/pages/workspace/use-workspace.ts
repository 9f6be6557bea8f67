import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { workspaceQuery } from '../../api/workspaces.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace');

/** Returns the workspace of a page below `WorkspaceLayout`, which has loaded it. */
export const useWorkspace = () => {
  const { organization, workspace: name } = route.useParams();
  const query = workspaceQuery(organization, name);
  const { data: reply } = useSuspenseQuery(query);
  return { organization, name, query, reply, document: reply.document, workspace: reply.document.data };
};

/** Returns a function that loads the present revision of the workspace. */
export const useReload = () => {
  const { query } = useWorkspace();
  const queryClient = useQueryClient();
  return useCallback(() => queryClient.fetchQuery({ ...query, staleTime: 0 }), [queryClient, query]);
};
