import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toManyLinked, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, outputAttributes, workspaceOutputAttributes } from './attributes.ts';

export const stateVersion = resource('StateVersion', {
  type: 'state-versions',
  description: 'A version of the state of a workspace.',
  id: id(prefixes.stateVersion),
  attributes: responseProperties(attributes),
  relationships: {
    workspace: toOneLinked('workspaces'),
    run: toOneLinked('runs'),
    'rollback-state-version': toOneLinked('state-versions'),
    'created-by': toOneLinked('users', 'teams', 'runs'),
    outputs: toManyLinked('state-version-outputs'),
  },
  links: { self: path(`${BASE_PATH}/state-versions/sv-CvpbqPPtsWSnyrTk`) },
});

export const stateOutput = resource('StateVersionOutput', {
  type: 'state-version-outputs',
  description: 'An output of a state.',
  id: id(prefixes.stateOutput),
  attributes: responseProperties(outputAttributes),
  relationships: { configurable: toOne('state-versions') },
  links: { self: path(`${BASE_PATH}/state-version-outputs/wsout-CvpbqPPtsWSnyrTk`) },
});

export const workspaceOutput = resource('WorkspaceOutput', {
  type: 'workspace-outputs',
  description: 'An output of the current state of a workspace.',
  id: id(prefixes.stateOutput),
  attributes: responseProperties(workspaceOutputAttributes),
});
