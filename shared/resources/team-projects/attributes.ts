import { parts, projectLevels, projectParts } from '../../domain/directory/grants.ts';
import { flag, object, oneOf, openObject, optional } from '../../schemas/schema.ts';
import type { AttributeTable, RequestAttributes } from '../attribute-table.ts';

const levels = [...projectLevels, 'custom'] as const;

/** The attributes of the access of a team to a project (TEAM-8). Custom parts are allowed only with `custom` (TEAM-9). */
export const attributes = {
  access: {
    request: oneOf(levels),
    response: oneOf(levels, 'The level. With `custom`, each part has its own level.'),
  },
  'project-access': {
    request: openObject({
      settings: optional(oneOf(projectParts.projectSettings)),
      teams: optional(oneOf(projectParts.projectTeams)),
      'variable-sets': optional(oneOf(projectParts.variableSets)),
    }),
    response: object({
      settings: oneOf(projectParts.projectSettings),
      teams: oneOf(projectParts.projectTeams),
      'variable-sets': oneOf(projectParts.variableSets),
    }),
  },
  'workspace-access': {
    request: openObject({
      create: optional(flag()),
      delete: optional(flag()),
      move: optional(flag()),
      locking: optional(flag()),
      runs: optional(oneOf(parts.runs)),
      variables: optional(oneOf(parts.variables)),
      'state-versions': optional(oneOf(parts.stateVersions)),
      'sentinel-mocks': optional(oneOf(parts.sentinelMocks)),
      'run-tasks': optional(flag()),
      'policy-overrides': optional(flag()),
    }),
    response: object({
      create: flag('Whether the team may create workspaces in the project.'),
      delete: flag(),
      move: flag('Whether the team may move workspaces out of the project and into it.'),
      locking: flag('Whether the team may lock and unlock workspaces.'),
      runs: oneOf(parts.runs),
      variables: oneOf(parts.variables),
      'state-versions': oneOf(parts.stateVersions),
      'sentinel-mocks': oneOf(parts.sentinelMocks),
      'run-tasks': flag(),
      'policy-overrides': flag(),
    }),
  },
} as const satisfies AttributeTable;

/** The attributes of the access of a team to a project in a request. */
export type TeamProjectAttributes = RequestAttributes<typeof attributes>;
