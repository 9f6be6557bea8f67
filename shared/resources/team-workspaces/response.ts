import { levelOf, partsOf, workspaceAccessAsRevised } from '../../domain/directory/grants.ts';
import { computedId } from '../../domain/ids.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { type Document, REVISED, type Resource, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Access of a team to one workspace. */
export interface TeamWorkspaceView {
  readonly workspace: Workspace;
  /** Id of a team that has access to the workspace. */
  readonly team: string;
}

/** Builds the resource of the access of a team to a workspace. It has every part at any level (TEAM-9). */
export const teamWorkspaceResource = ({ workspace, team }: TeamWorkspaceView): Resource => {
  const id = computedId('workspaceAccess', workspace.id, team);
  const grant = workspace.access[team] ?? {};
  const parts = partsOf(grant);
  return {
    id,
    [REVISED]: workspaceAccessAsRevised(workspace.id, team, grant),
    type: 'team-workspaces',
    attributes: {
      access: levelOf(grant),
      runs: parts.runs,
      variables: parts.variables,
      'state-versions': parts.stateVersions,
      'sentinel-mocks': parts.sentinelMocks,
      'workspace-locking': parts.workspaceLocking,
      'run-tasks': parts.runTasks,
      'policy-overrides': parts.policyOverrides,
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      team: toOneLinked('teams', team),
      workspace: toOne(
        'workspaces',
        workspace.id,
        `${BASE_PATH}/organizations/${workspace.organization}/workspaces/${workspace.name}`,
      ),
    },
    links: { self: `${BASE_PATH}/team-workspaces/${id}` },
  };
};

/** Builds the document of a team's access to a workspace. */
export const teamWorkspaceDocument = (view: TeamWorkspaceView): Document => ({ data: teamWorkspaceResource(view) });
