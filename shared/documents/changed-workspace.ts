import { authorizeWorkspace, type WorkspaceAccess } from '../access/authorize/workspace.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { Document } from '../jsonapi/document.ts';
import type { Dependencies } from '../runtime/dependencies.ts';
import { presentWorkspace } from './workspace-documents.ts';

/** Builds the document of a workspace after a change, for the caller who changed it. */
export const changedWorkspace = async (
  dependencies: Dependencies,
  { caller, organization, project: before }: WorkspaceAccess,
  workspace: Workspace,
): Promise<Document> => {
  // The workspace was moved during the change: the response shows its current project.
  const isMoved = workspace.project !== before.id;
  const project = (isMoved ? await dependencies.store.projects.find(workspace.project, true) : undefined) ?? before;
  return presentWorkspace(dependencies, { workspace, organization, project, caller });
};

/** Shows a workspace in the response to a repeated request, for functions that do not serve its `GET` (HTTP-39). */
export const showChangedWorkspace = async (
  { digest, parameters }: { readonly digest: string; readonly parameters: { readonly workspace_id: string } },
  dependencies: Dependencies,
) =>
  presentWorkspace(
    dependencies,
    await authorizeWorkspace(dependencies.store, digest, { id: parameters.workspace_id }, 'workspace.read'),
  );
