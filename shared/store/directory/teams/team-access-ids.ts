import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys } from '../../dynamodb/keys.ts';

/** The workspace on which a team's access is stored, with the project that the workspace was in at that time. */
export interface WorkspaceAccessId {
  readonly organization: string;
  readonly workspace: string;
  readonly project: string;
  readonly team: string;
}

export interface ProjectAccessId {
  readonly organization: string;
  readonly project: string;
  readonly team: string;
}

export interface TeamAccessIds {
  readonly findOnProject: (id: string, consistent: boolean) => Promise<ProjectAccessId | undefined>;
  readonly findOnWorkspace: (id: string, consistent: boolean) => Promise<WorkspaceAccessId | undefined>;
}

/** Opens the reads of team access by its id. Each returns undefined if the id is invalid or unknown. */
export const openTeamAccess = (database: Database): TeamAccessIds => ({
  findOnProject: async (id, consistent) => {
    if (!isId('projectAccess', id)) return undefined;
    return (await database.get(keys.pointer(id), consistent)) as unknown as ProjectAccessId | undefined;
  },

  findOnWorkspace: async (id, consistent) => {
    if (!isId('workspaceAccess', id)) return undefined;
    return (await database.get(keys.pointer(id), consistent)) as unknown as WorkspaceAccessId | undefined;
  },
});
