import { timestamp } from '../clock.ts';
import type { Project } from '../domain/directory.ts';
import { type Resource, toOne } from './document.ts';

/** Contract 8. */
export const projectResource = (project: Project): Resource => {
  const { id, name, description, createdAt, organization, defaultExecutionMode, defaultAgentPool } = project;
  const self = `/api/v2/projects/${id}`;
  return {
    id,
    type: 'projects',
    attributes: {
      name,
      description,
      'created-at': timestamp(createdAt),
      'default-execution-mode': defaultExecutionMode,
      'auto-destroy-activity-duration': null,
      'is-unified': false,
      'setting-overwrites': {
        'default-execution-mode': defaultExecutionMode !== null,
        'default-agent-pool': defaultAgentPool !== null,
      },
    },
    relationships: {
      organization: toOne('organizations', organization),
      'default-agent-pool': toOne('agent-pools', defaultAgentPool, `/api/v2/agent-pools/${defaultAgentPool}`),
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    },
    links: { self },
  };
};
