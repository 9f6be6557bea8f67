import type { AgentPool } from '../../domain/directory/records.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';

/** Builds the resource of an agent pool. `agent-count` is 0: agents register with whoever executes runs (POOL-2). */
export const agentPoolResource = ({ id, organization, name, createdAt }: AgentPool): Resource => ({
  id,
  type: 'agent-pools',
  attributes: { name, 'created-at': timestamp(createdAt), 'agent-count': 0, 'organization-scoped': true },
  relationships: { organization: toOne('organizations', organization) },
  links: { self: `${BASE_PATH}/agent-pools/${id}` },
});
