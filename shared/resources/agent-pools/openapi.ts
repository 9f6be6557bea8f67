import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne } from '../../schemas/resource-schema.ts';
import { count, flag, id, path, text, time } from '../../schemas/schema.ts';

export const agentPool = resource('AgentPool', {
  type: 'agent-pools',
  description: 'Who executes runs of workspaces in agent mode.',
  id: id(prefixes.agentPool),
  attributes: {
    name: text(),
    'created-at': time(),
    'agent-count': count('Always 0: agents register with who executes runs.'),
    'organization-scoped': flag('True: every workspace of the organization may use it.'),
  },
  relationships: { organization: toOne('organizations') },
  links: { self: path(`${BASE_PATH}/agent-pools/apool-CvpbqPPtsWSnyrTk`) },
});
