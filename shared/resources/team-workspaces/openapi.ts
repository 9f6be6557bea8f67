import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const teamWorkspace = resource('TeamWorkspace', {
  type: 'team-workspaces',
  description: 'The access of a team to one workspace.',
  id: id(prefixes.workspaceAccess),
  attributes: responseProperties(attributes),
  relationships: { team: toOneAt('teams'), workspace: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/team-workspaces/tws-CvpbqPPtsWSnyrTk`) },
});
