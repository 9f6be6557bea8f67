import type { WorkspaceAccess } from '../access/authorize.ts';
import { effectiveRights } from '../access/rights.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Document } from '../jsonapi/document.ts';
import { workspaceDocument } from '../jsonapi/workspace.ts';
import type { Services } from '../services.ts';

/** The workspace after a change, for whoever changed it. */
export const changedWorkspace = async (
  { store, features }: Services,
  { caller, organization, project: before }: WorkspaceAccess,
  workspace: Workspace,
): Promise<Document> => {
  const releases = await store.findReleases(workspace.settings.infraVersion, true);
  // Moved while it was changed: the answer shows it where it is now.
  const isMoved = workspace.project !== before.id;
  const project = (isMoved ? await store.findProject(workspace.project, true) : undefined) ?? before;
  const rights = effectiveRights(caller, organization, project, workspace);
  return workspaceDocument({ workspace, organization, project, rights, releases, features });
};
