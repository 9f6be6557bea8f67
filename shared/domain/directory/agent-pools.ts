import { type Execution, effectiveExecution, type Workspace } from '../workspace/workspace-record.ts';
import type { AgentPool } from './records.ts';

/**
 * Tells whether an agent pool may be the default of a project, or without `project` of the organization (POOL-5).
 * @param project id of the project.
 */
export const mayDefaultTo = (
  { organizationScoped = true, allowedProjects = [] }: AgentPool,
  project?: string,
): boolean => organizationScoped || (project !== undefined && allowedProjects.includes(project));

/** Tells whether a workspace is in the scope of an agent pool (POOL-4). */
export const mayUsePool = (pool: AgentPool, { id, project }: Pick<Workspace, 'id' | 'project'>): boolean => {
  const { allowedWorkspaces = [], excludedWorkspaces = [] } = pool;
  return !excludedWorkspaces.includes(id) && (mayDefaultTo(pool, project) || allowedWorkspaces.includes(id));
};

/** Detail of the error for a workspace outside the scope of an agent pool. Clients know this text. */
export const POOL_OUT_OF_SCOPE = 'Agent pool workspace does not have access to use this agent pool';

/**
 * Tells whether a workspace would use an agent pool in another project whose scope it is not in (POOL-4).
 * @param inherited what the workspace inherits there.
 * @param project id of that project.
 * @param pools the pools that it may come to use.
 */
export const losesPool = (
  workspace: Pick<Workspace, 'id' | 'settings' | 'overwrites'>,
  inherited: Execution,
  project: string,
  pools: readonly AgentPool[],
): boolean => {
  const { agentPool } = effectiveExecution(workspace, inherited);
  const pool = pools.find(({ id }) => id === agentPool);
  return pool !== undefined && !mayUsePool(pool, { id: workspace.id, project });
};
