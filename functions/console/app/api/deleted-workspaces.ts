import { listDeletedWorkspaces, showDeletedWorkspace } from '../../../../shared/client/deleted-workspaces.ts';
import { apiQuery } from './query-client.ts';

/** Builds the query of a deleted workspace that the caller may restore. */
export const deletedWorkspaceQuery = (id: string) => apiQuery(showDeletedWorkspace(id));

/** Builds the query of a list whose metadata say for how long a deleted workspace can be restored. */
export const restorableDaysQuery = (organization: string) => apiQuery(listDeletedWorkspaces(organization, 1, 1));
