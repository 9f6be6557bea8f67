import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOneAt } from '../../schemas/resource-schema.ts';
import { flag, id, path } from '../../schemas/schema.ts';
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

export const variableVerification = resource('VariableVerification', {
  type: 'variable-verifications',
  description: 'The result of comparing a value with that of a variable.',
  id: id(prefixes.variable, 'Id of the variable.'),
  attributes: { matches: flag('Whether the value is that of the variable.') },
});
