import type { WorkspaceTarget } from '../access/authorize/workspace.ts';
import { DomainError } from '../domain/errors.ts';

type WorkspaceParameters =
  | { readonly workspace_id: string }
  | { readonly organization_name: string; readonly name: string };

/** Returns the workspace that a path names, by id or by name. */
export const workspaceTarget = (parameters: WorkspaceParameters): WorkspaceTarget =>
  'workspace_id' in parameters
    ? { id: parameters.workspace_id }
    : { organization: parameters.organization_name, name: parameters.name };

/**
 * Requires that the id in a body, if present, is the id of the workspace in the path.
 * @throws DomainError 422.
 */
export const requireMatchingId = (id: string | null | undefined, workspace: string): void => {
  if (!id || id === workspace) return;
  throw new DomainError('unprocessable', "Id does not match the path's workspace", { source: { pointer: '/data/id' } });
};

/** Returns the name of a target by name: a change by name must not reach a workspace that was renamed meanwhile. */
export const nameIn = (target: WorkspaceTarget): string | undefined => ('name' in target ? target.name : undefined);
