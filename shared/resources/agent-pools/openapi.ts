import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const agentPool = resource('AgentPool', {
  type: 'agent-pools',
  description: 'A pool of agents that execute the runs of workspaces in agent mode.',
  id: id(prefixes.agentPool),
  attributes: responseProperties(attributes),
  relationships: { organization: toOne('organizations') },
  links: { self: path(`${BASE_PATH}/agent-pools/apool-CvpbqPPtsWSnyrTk`) },
});
