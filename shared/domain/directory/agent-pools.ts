import type { AgentPool } from './records.ts';

/** A workspace that uses an agent pool, or is to use it. */
interface PoolUser {
  readonly id: string;
  /** Id of its project. */
  readonly project: string;
}

/**
 * Tells whether an agent pool may be the default of a project, or without `project` of the organization (POOL-5).
 * @param project id of the project.
 */
export const mayDefaultTo = (
  { organizationScoped = true, allowedProjects = [] }: AgentPool,
  project?: string,
): boolean => organizationScoped || (project !== undefined && allowedProjects.includes(project));

/** Tells whether a workspace is in the scope of an agent pool (POOL-4). */
export const mayUsePool = (pool: AgentPool, { id, project }: PoolUser): boolean => {
  const { allowedWorkspaces = [], excludedWorkspaces = [] } = pool;
  return !excludedWorkspaces.includes(id) && (mayDefaultTo(pool, project) || allowedWorkspaces.includes(id));
};
