import type { AgentPool } from '../../domain/directory/records.ts';
import { REVISED, type Resource, toMany, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/**
 * Builds the resource of an agent pool. `agent-count` is 0, because no agent connects (POOL-2). The workspaces that use
 * the pool appear only where they are included, because finding them reads all workspaces of the organization.
 */
export const agentPoolResource = (pool: AgentPool): Resource => {
  const { id, organization, name, createdAt, organizationScoped = true } = pool;
  const self = `${BASE_PATH}/agent-pools/${id}`;
  return {
    id,
    [REVISED]: pool,
    type: 'agent-pools',
    attributes: {
      name,
      'created-at': timestamp(createdAt),
      'agent-count': 0,
      'organization-scoped': organizationScoped,
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', organization),
      agents: { links: { related: `${self}/agents` } },
      'authentication-tokens': { links: { related: `${self}/authentication-tokens` } },
      workspaces: { links: { related: `${self}?include=workspaces` } },
      'allowed-workspaces': toMany('workspaces', pool.allowedWorkspaces),
      'allowed-projects': toMany('projects', pool.allowedProjects),
      'excluded-workspaces': toMany('workspaces', pool.excludedWorkspaces),
    },
    links: { self },
  };
};
