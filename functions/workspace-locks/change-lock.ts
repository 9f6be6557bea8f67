import { authorizeWorkspace } from '../../shared/access/authorize.ts';
import type { Action } from '../../shared/access/decide.ts';
import { effectiveRights } from '../../shared/access/rights.ts';
import type { Request, Transition } from '../../shared/domain/transitions.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { workspaceDocument } from '../../shared/jsonapi/workspace.ts';
import type { Services } from '../../shared/services.ts';

interface LockRequest {
  readonly id: string;
  readonly digest: string;
  readonly parameters: { readonly workspace_id: string };
}

/** What lock, unlock and force-unlock have in common: who may, the transition, the workspace after it. */
export const changeLock = async (
  { store, features }: Services,
  { id, digest, parameters }: LockRequest,
  action: Action,
  transition: (request: Request) => Transition,
): Promise<Document> => {
  const access = await authorizeWorkspace(store, digest, { id: parameters.workspace_id }, action);
  const request: Request = { id, principal: access.caller.principal };
  const workspace = await store.apply(access.workspace, transition(request), request);
  const releases = await store.findReleases(workspace.settings.infraVersion, true);
  // Moved while it was locked: the answer shows it where it is now.
  const isMoved = workspace.project !== access.project.id;
  const project = (isMoved ? await store.findProject(workspace.project, true) : undefined) ?? access.project;
  const rights = effectiveRights(access.caller, access.organization, project, workspace);
  return workspaceDocument({ workspace, organization: access.organization, project, rights, releases, features });
};
