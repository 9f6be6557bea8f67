import type { WorkspaceTarget } from '../access/authorize.ts';

type Parameters = { readonly workspace_id: string } | { readonly organization_name: string; readonly name: string };

/** The workspace that a path names, in either of its two forms. */
export const targetOf = (parameters: Parameters): WorkspaceTarget =>
  'workspace_id' in parameters
    ? { id: parameters.workspace_id }
    : { organization: parameters.organization_name, name: parameters.name };

/** The name in it, where it has one: what is asked of a workspace by name is not asked of it under another. */
export const nameIn = (target: WorkspaceTarget): string | undefined => ('name' in target ? target.name : undefined);
