import type { WorkspaceTarget } from '../access/authorize.ts';

type Parameters = { readonly workspace_id: string } | { readonly organization_name: string; readonly name: string };

/** The workspace that a path names, in either of its two forms. */
export const targetOf = (parameters: Parameters): WorkspaceTarget =>
  'workspace_id' in parameters
    ? { id: parameters.workspace_id }
    : { organization: parameters.organization_name, name: parameters.name };
