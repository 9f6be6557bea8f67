import type { WorkspaceAccess } from '../access/authorize/workspace.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import type { Document } from '../jsonapi/document.ts';
import type { Services } from '../runtime/services.ts';
import { presentWorkspace } from './workspace-documents.ts';

/** The workspace after a change, for whoever changed it. */
export const changedWorkspace = async (
  services: Services,
  { caller, organization, project: before }: WorkspaceAccess,
  workspace: Workspace,
): Promise<Document> => {
  // Moved while it was changed: the answer shows it where it is now.
  const isMoved = workspace.project !== before.id;
  const project = (isMoved ? await services.store.findProject(workspace.project, true) : undefined) ?? before;
  return presentWorkspace(services, { workspace, organization, project, caller });
};
