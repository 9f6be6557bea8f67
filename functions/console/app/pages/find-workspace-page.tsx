import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { isNotFound } from '../../../../shared/client/errors.ts';
import { deletedWorkspaceQuery } from '../api/deleted-workspaces.ts';
import { workspaceByIdQuery } from '../api/workspaces.ts';
import { Loaded } from '../components/loaded.tsx';
import { WorkspaceNotFound } from './workspace-not-found.tsx';

const route = getRouteApi('/signed-in/$organization/workspace-ids/$id');

/**
 * Leads to the page of a workspace or one of its runs, whatever the present name of the workspace is, or to the deleted workspaces if it is one of them. Histories
 * know the name of a workspace at the time of an entry only.
 */
export const FindWorkspacePage = () => {
  const { organization, id } = route.useParams();
  const { run } = route.useSearch();
  const present = useQuery(workspaceByIdQuery(id));
  const isMissing = isNotFound(present.error);
  const deleted = useQuery({ ...deletedWorkspaceQuery(id), enabled: isMissing });
  if (present.data !== undefined) {
    const { attributes, relationships } = present.data.document.data;
    const params = { organization: relationships.organization.data.id, workspace: attributes.name };
    return run === undefined ? (
      <Navigate to="/$organization/workspaces/$workspace" params={params} replace />
    ) : (
      <Navigate to="/$organization/workspaces/$workspace/runs/$run" params={{ ...params, run }} replace />
    );
  }
  if (deleted.data !== undefined) {
    return <Navigate to="/$organization/deleted-workspaces" params={{ organization }} replace />;
  }
  if (isNotFound(deleted.error)) return <WorkspaceNotFound organization={organization} name={id} />;
  return <Loaded<unknown> query={isMissing ? deleted : present}>{() => null}</Loaded>;
};
