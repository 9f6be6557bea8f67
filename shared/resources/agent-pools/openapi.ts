import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toMany, toManyLinked, toOne } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const agentPool = resource('AgentPool', {
  type: 'agent-pools',
  description: 'A pool of agents that execute the runs of workspaces in agent mode.',
  id: id(prefixes.agentPool),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    agents: linkOnly,
    'authentication-tokens': linkOnly,
    workspaces: toManyLinked('workspaces'),
    'allowed-workspaces': toMany('workspaces'),
    'allowed-projects': toMany('projects'),
    'excluded-workspaces': toMany('workspaces'),
  },
  links: { self: path(`${BASE_PATH}/agent-pools/apool-CvpbqPPtsWSnyrTk`) },
});
