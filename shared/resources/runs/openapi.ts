import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { applyAttributes, attributes, planAttributes } from './attributes.ts';

const RUN = `${BASE_PATH}/runs/run-CvpbqPPtsWSnyrTk`;

export const run = resource('Run', {
  type: 'runs',
  description: 'A run, as its runner reported it. The runner starts, confirms and cancels it.',
  id: id(prefixes.run),
  attributes: responseProperties(attributes),
  relationships: {
    workspace: toOne('workspaces'),
    plan: toOne('plans'),
    apply: toOne('applies'),
    'configuration-version': toOneLinked('configuration-versions'),
  },
  links: { self: path(RUN) },
});

export const plan = resource('Plan', {
  type: 'plans',
  description: 'The first phase of a run.',
  id: id(prefixes.plan),
  attributes: responseProperties(planAttributes),
});

export const apply = resource('Apply', {
  type: 'applies',
  description: 'The second phase of a run.',
  id: id(prefixes.apply),
  attributes: responseProperties(applyAttributes),
});
