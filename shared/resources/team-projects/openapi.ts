import { parts, projectLevels, projectParts } from '../../domain/directory/grants.ts';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { flag, id, object, oneOf, path } from '../../schemas/schema.ts';

export const teamProject = resource('TeamProject', {
  type: 'team-projects',
  description: 'What a team may do with one project, and with the workspaces in it.',
  id: id(prefixes.projectAccess),
  attributes: {
    access: oneOf([...projectLevels, 'custom'], 'The level; with `custom` the parts are as they were set.'),
    'project-access': object({
      settings: oneOf(projectParts.projectSettings),
      teams: oneOf(projectParts.projectTeams),
      'variable-sets': oneOf(projectParts.variableSets),
    }),
    'workspace-access': object({
      create: flag('Whether it may create workspaces in it.'),
      delete: flag(),
      move: flag('Whether it may move workspaces out of it, and into it.'),
      locking: flag('Whether it may lock and unlock.'),
      runs: oneOf(parts.runs),
      variables: oneOf(parts.variables),
      'state-versions': oneOf(parts.stateVersions),
      'sentinel-mocks': oneOf(parts.sentinelMocks),
      'run-tasks': flag(),
      'policy-overrides': flag(),
    }),
  },
  relationships: { team: toOneAt('teams'), project: toOneAt('projects') },
  links: { self: path(`${BASE_PATH}/team-projects/tprj-CvpbqPPtsWSnyrTk`) },
});
