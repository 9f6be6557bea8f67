import type { VcsConnection } from '../directory/records.ts';
import type { Workspace } from './workspace-record.ts';

/** Detail of the error for a workspace outside the scope of a VCS connection. */
export const CONNECTION_OUT_OF_SCOPE = 'The project of the workspace does not have access to use this VCS connection';

/**
 * Tells whether the workspaces of a project may use a VCS connection (VCS-5).
 * @param project id of the project.
 */
export const mayUseConnection = (
  { organizationScoped = true, projects = [] }: Pick<VcsConnection, 'organizationScoped' | 'projects'>,
  project: string,
): boolean => organizationScoped || projects.includes(project);

/**
 * Tells whether the repository of a workspace has a VCS connection that another project may not use (VCS-5).
 * @param project id of that project.
 * @param connections connections that workspaces use, by their ids.
 */
export const losesConnection = (
  { vcsRepo }: Pick<Workspace, 'vcsRepo'>,
  project: string,
  connections: readonly VcsConnection[],
): boolean => {
  const connection = connections.find(({ id }) => id === vcsRepo?.oauthTokenId);
  return connection !== undefined && !mayUseConnection(connection, project);
};
