import { parts, workspaceLevels } from '../../domain/directory/grants.ts';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { flag, id, oneOf, path } from '../../schemas/schema.ts';

export const teamWorkspace = resource('TeamWorkspace', {
  type: 'team-workspaces',
  description: 'What a team may do with one workspace.',
  id: id(prefixes.workspaceAccess),
  attributes: {
    access: oneOf([...workspaceLevels, 'custom'], 'The level; with `custom` the parts are as they were set.'),
    runs: oneOf(parts.runs),
    variables: oneOf(parts.variables),
    'state-versions': oneOf(parts.stateVersions),
    'sentinel-mocks': oneOf(parts.sentinelMocks),
    'workspace-locking': flag('Whether it may lock and unlock.'),
    'run-tasks': flag(),
    'policy-overrides': flag(),
  },
  relationships: { team: toOneAt('teams'), workspace: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/team-workspaces/tws-CvpbqPPtsWSnyrTk`) },
});
