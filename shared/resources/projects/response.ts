import { projectPermissions } from '../../access/project-policy.ts';
import type { Rights } from '../../access/rights.ts';
import type { Organization, Project } from '../../domain/directory/records.ts';
import { inheritedExecution, inheritedProtection } from '../../domain/workspace/workspace-record.ts';
import { type Document, REVISED, type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { type ComputedValues, responseAttributes } from '../attribute-table.ts';
import { attributes } from './attributes.ts';

/** A project as one caller sees it. */
export interface ProjectView {
  readonly project: Project;
  readonly organization: Organization;
  readonly rights: Rights;
  /** Number of workspaces in the project, if known. */
  readonly workspaceCount?: number;
}

/** Builds the resource of a project. Defaults that it does not set itself are the organization's (PROJECT-4). */
export const projectResource = ({ project, organization, rights, workspaceCount }: ProjectView): Resource => {
  const { id, name, createdAt, defaultExecutionMode } = project;
  const self = `${BASE_PATH}/projects/${id}`;
  const { mode, agentPool } = inheritedExecution(organization, project);
  const isOwn = defaultExecutionMode !== null;
  const values: ComputedValues<typeof attributes> = {
    name,
    'created-at': timestamp(createdAt),
    'default-execution-mode': mode,
    'default-deletion-protection': inheritedProtection(organization, project),
    'setting-overwrites': {
      'default-execution-mode': isOwn,
      'default-agent-pool': isOwn,
      'default-deletion-protection': typeof project.defaultDeletionProtection === 'boolean',
    },
    'auto-destroy-activity-duration': project.autoDestroyActivityDuration ?? null,
    'is-unified': false,
    'team-count': Object.keys(project.access).length,
    'workspace-count': workspaceCount,
    permissions: projectPermissions(rights),
  };
  return {
    id,
    [REVISED]: project,
    type: 'projects',
    attributes: responseAttributes(attributes, project, values),
    relationships: {
      organization: toOne('organizations', organization.name),
      'default-agent-pool': toOne(
        'agent-pools',
        mode === 'agent' ? agentPool : null,
        `${BASE_PATH}/agent-pools/${agentPool}`,
      ),
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    },
    links: { self },
  };
};

/** Builds the document of a project. */
export const projectDocument = (view: ProjectView): Document => ({ data: projectResource(view) });
