import type { WorkspaceTarget } from '../access/authorize/workspace.ts';
import { DomainError } from '../domain/errors.ts';

type Parameters = { readonly workspace_id: string } | { readonly organization_name: string; readonly name: string };

/** The workspace that a path names, in either of its two forms. */
export const targetOf = (parameters: Parameters): WorkspaceTarget =>
  'workspace_id' in parameters
    ? { id: parameters.workspace_id }
    : { organization: parameters.organization_name, name: parameters.name };

/** @throws DomainError 422 where a body is about another workspace than its path. */
export const requireMatchingId = (id: string | null | undefined, workspace: string): void => {
  if (!id || id === workspace) return;
  throw new DomainError('unprocessable', "Id does not match the path's workspace", { source: { pointer: '/data/id' } });
};

/** The name in it, where it has one: what is asked of a workspace by name is not asked of it under another. */
export const nameIn = (target: WorkspaceTarget): string | undefined => ('name' in target ? target.name : undefined);
