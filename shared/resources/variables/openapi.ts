import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const variable = resource('Variable', {
  type: 'vars',
  description: 'A variable of a workspace.',
  id: id(prefixes.variable),
  attributes: responseProperties(attributes),
  relationships: { configurable: toOneAt('workspaces') },
  links: { self: path(`${BASE_PATH}/workspaces/ws-CvpbqPPtsWSnyrTk/vars/var-CvpbqPPtsWSnyrTk`) },
});

export const setVariable = resource('VariableSetVariable', {
  type: 'vars',
  description: 'A variable of a variable set.',
  id: id(prefixes.variable),
  attributes: responseProperties(attributes),
  relationships: { varset: toOneAt('varsets') },
  links: { self: path(`${BASE_PATH}/varsets/varset-CvpbqPPtsWSnyrTk/relationships/vars/var-CvpbqPPtsWSnyrTk`) },
});
