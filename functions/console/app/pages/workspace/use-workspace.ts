import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { workspaceQuery } from '../../api/workspaces.ts';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace');

/** Returns the workspace of a page below `WorkspaceLayout`, which has loaded it. */
export const useWorkspace = () => {
  const { organization, workspace: name } = route.useParams();
  const query = workspaceQuery(organization, name);
  const { data: reply } = useSuspenseQuery(query);
  return { organization, name, query, reply, document: reply.document, workspace: reply.document.data };
};
