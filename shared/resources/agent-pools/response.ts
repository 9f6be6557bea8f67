import type { AgentPool } from '../../domain/directory/records.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of an agent pool. `agent-count` is 0: agents register with the executor of runs (POOL-2). */
export const agentPoolResource = ({ id, organization, name, createdAt }: AgentPool): Resource => {
  const values: ComputedValues<typeof attributes> = {
    name,
    'created-at': timestamp(createdAt),
    'agent-count': 0,
    'organization-scoped': true,
  };
  return {
    id,
    type: 'agent-pools',
    attributes: values,
    relationships: { organization: toOne('organizations', organization) },
    links: { self: `${BASE_PATH}/agent-pools/${id}` },
  };
};
