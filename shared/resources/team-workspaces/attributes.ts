import { parts, workspaceLevels } from '../../domain/directory/grants.ts';
import { flag, oneOf } from '../../schemas/schema.ts';
import { type AttributeTable, mapRequest, type RequestAttributes } from '../attribute-table.ts';

const levels = [...workspaceLevels, 'custom'] as const;

/** The attributes of the access of a team to a workspace (TEAM-8). Custom parts are allowed only with `custom` (TEAM-9). */
export const attributes = {
  access: {
    request: oneOf(levels),
    response: oneOf(levels, 'The level. With `custom`, each part has its own level.'),
  },
  runs: { request: oneOf(parts.runs), response: oneOf(parts.runs) },
  variables: { request: oneOf(parts.variables), response: oneOf(parts.variables) },
  'state-versions': { request: oneOf(parts.stateVersions), response: oneOf(parts.stateVersions) },
  'sentinel-mocks': { request: oneOf(parts.sentinelMocks), response: oneOf(parts.sentinelMocks) },
  'workspace-locking': { request: flag(), response: flag('Whether the team may lock and unlock the workspace.') },
  'run-tasks': { request: flag(), response: flag() },
  'policy-overrides': { request: flag(), response: flag() },
} as const satisfies AttributeTable;

/** The attributes of the access of a team to a workspace in a request. */
export type TeamWorkspaceAttributes = RequestAttributes<typeof attributes>;

/** Maps the attributes of the access of a team to a workspace in a request to the domain. An omitted attribute is absent from the result. */
export const teamWorkspaceRequest = (given: TeamWorkspaceAttributes) => mapRequest(attributes, given, {});
