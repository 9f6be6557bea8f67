import { isId } from '../../../domain/ids.ts';
import type { Database } from '../../dynamodb/database.ts';
import { keys } from '../../dynamodb/keys.ts';

/** The project to which a team has access. */
interface ProjectAccessId {
  readonly organization: string;
  readonly project: string;
  readonly team: string;
}

/** The workspace on which a team's access is stored, with the project that the workspace was in at that time. */
interface WorkspaceAccessId extends ProjectAccessId {
  readonly workspace: string;
}

/** Opens the reads of team access by its id. Each returns undefined if the id is invalid or unknown. */
export const openTeamAccess = (database: Database) => {
  const find =
    <A extends ProjectAccessId>(kind: 'projectAccess' | 'workspaceAccess') =>
    async (id: string, consistent: boolean): Promise<A | undefined> =>
      isId(kind, id) ? ((await database.get(keys.pointer(id), consistent)) as unknown as A | undefined) : undefined;
  return {
    findOnProject: find<ProjectAccessId>('projectAccess'),
    findOnWorkspace: find<WorkspaceAccessId>('workspaceAccess'),
  };
};
