import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const teamProject = resource('TeamProject', {
  type: 'team-projects',
  description: 'The access of a team to one project and to the workspaces in it.',
  id: id(prefixes.projectAccess),
  attributes: responseProperties(attributes),
  relationships: { team: toOneAt('teams'), project: toOneAt('projects') },
  links: { self: path(`${BASE_PATH}/team-projects/tprj-CvpbqPPtsWSnyrTk`) },
});
