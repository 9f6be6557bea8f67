import { BASE_PATH } from '../../routes/api.ts';
import { resource } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const agent = resource('Agent', {
  type: 'agents',
  description: 'An agent of a pool. No agent connects to this service, so lists of agents are empty.',
  id: id('agent-'),
  attributes: responseProperties(attributes),
  links: { self: path(`${BASE_PATH}/agents/agent-CvpbqPPtsWSnyrTk`) },
});
