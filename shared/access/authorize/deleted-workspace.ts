import type { Caller, Organization, Project } from '../../domain/directory/records.ts';
import { notFound } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { isRestorable, type RestorableWorkspace } from '../../domain/workspace/workspace-record.ts';
import { type DeletedWorkspaceAction, requireDeletedWorkspacePermission } from '../deleted-workspace-policy.ts';
import { effectiveRights, type Rights } from '../rights.ts';
import { findCaller, requireAcceptedToken, requireIdentity } from './caller.ts';
import { confirmRejection, NOWHERE } from './confirm-rejection.ts';
import type { AuthorizationReader } from './reader.ts';

/** A deleted workspace, and the caller with the rights in the project to which it would be restored. */
export interface DeletedWorkspaceAccess {
  readonly caller: Caller;
  readonly organization: Organization;
  /** Its project, or the default project of the organization if that was deleted. */
  readonly project: Project;
  readonly workspace: RestorableWorkspace;
  readonly rights: Rights;
}

/**
 * Authorizes a request on a deleted workspace that can still be restored.
 * @param digest SHA-256 of the token.
 * @param at time of the request, in milliseconds.
 * @throws DomainError 401; 404 for a workspace that is not deleted, whose time is over, or that the caller may not restore;
 *   403 for a caller who may restore it but not delete it permanently.
 */
export const authorizeDeletedWorkspace = (
  reader: AuthorizationReader,
  digest: string,
  id: string,
  action: DeletedWorkspaceAction,
  at: number,
): Promise<DeletedWorkspaceAccess> =>
  confirmRejection(async (consistent, enter) => {
    const [identity, found] = await Promise.all([
      reader.identities.findToken(digest, consistent),
      isId('workspace', id) ? reader.workspaces.find(id) : undefined,
    ]);
    const principal = requireIdentity(identity);
    const workspace = isRestorable(found, at) ? found : undefined;
    const place = workspace ?? NOWHERE;
    if (workspace) enter(workspace.organization);
    const [caller, organization, formerProject] = await Promise.all([
      findCaller(reader, principal, place.organization, consistent),
      reader.organizations.find(place.organization, consistent),
      reader.projects.find(place.project, consistent),
    ]);
    requireAcceptedToken(caller, organization);
    if (!workspace || !organization) throw notFound();
    const project = formerProject ?? (await reader.projects.find(organization.defaultProject, consistent));
    if (!project) throw notFound();
    const rights = effectiveRights(caller, organization, project, workspace);
    requireDeletedWorkspacePermission(rights, action);
    return { caller, organization, project, workspace, rights };
  });
