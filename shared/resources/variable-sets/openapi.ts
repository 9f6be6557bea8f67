import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toMany, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const variableSet = resource('VariableSet', {
  type: 'varsets',
  description: 'Variables that several workspaces use.',
  id: id(prefixes.variableSet),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    parent: toOne('organizations', 'projects'),
    workspaces: toMany('workspaces'),
    projects: toMany('projects'),
    vars: toMany('vars'),
  },
  links: { self: path(`${BASE_PATH}/varsets/varset-CvpbqPPtsWSnyrTk`) },
});
