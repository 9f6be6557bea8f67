import type { Rights } from '../../access/rights.ts';
import { workspacePermissions } from '../../access/workspace-policy.ts';
import type { Organization, Project } from '../../domain/directory/records.ts';
import type { Features } from '../../domain/editions.ts';
import { resolveVersion } from '../../domain/infra-versions/versions.ts';
import { tagNames } from '../../domain/tags/tag.ts';
import { computeDueTime, inactivityDuration, inactivityFromProject } from '../../domain/workspace/auto-destroy.ts';
import { assessmentsAvailable } from '../../domain/workspace/configuration/assessments.ts';
import {
  effectiveExecution,
  inheritedExecution,
  inheritedProtection,
  isProtected,
  type VcsRepo,
  type Workspace,
} from '../../domain/workspace/workspace-record.ts';
import { REVISED, type Relationship, type Resource, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { type ComputedValues, responseAttributes } from '../attribute-table.ts';
import { retentionRelationship } from '../data-retention-policies/response.ts';
import { showWorkspaceSource } from '../imported-from.ts';
import { attributes } from './attributes.ts';

/** A workspace as one caller sees it. */
export interface WorkspaceView {
  readonly workspace: Workspace;
  readonly organization: Organization;
  /** Project of the workspace, with the settings that workspaces inherit. */
  readonly project: Pick<Project, 'defaultExecutionMode' | 'defaultAgentPool' | 'defaultDeletionProtection'> &
    Pick<Partial<Project>, 'autoDestroyActivityDuration' | 'autoDestroySince'>;
  readonly rights: Rights;
  /** Releases that the version of the workspace is resolved to. */
  readonly releases: readonly string[];
  /** Features of the deployed edition. */
  readonly features: Features;
}

const repository = (repo: VcsRepo | null) =>
  repo && {
    branch: repo.branch,
    identifier: repo.identifier,
    'display-identifier': repo.identifier,
    'ingress-submodules': repo.ingressSubmodules,
    'oauth-token-id': repo.oauthTokenId,
    ...(repo.appInstallationId && {
      'app-installation-id': repo.appInstallationId,
      'github-app-installation-id': repo.appInstallationId,
    }),
    'repository-http-url': `${repo.httpUrl.replace(/\/+$/, '')}/${repo.identifier}`,
    'service-provider': repo.serviceProvider,
    'tags-regex': repo.tagsRegex,
    'webhook-url': null,
    'source-directory': null,
    'tag-prefix': null,
  };

/** Builds the attributes of the next destroy run. After it is requested, none is due until the next activity. */
const autoDestroy = ({ workspace, project }: WorkspaceView) => {
  // The copy of the project's settings in the workspace is updated with a delay.
  const isKnown = project.autoDestroyActivityDuration !== undefined;
  const current = isKnown ? { ...workspace, projectInactivity: inactivityFromProject(project) } : workspace;
  const [due, duration] = [computeDueTime(current), inactivityDuration(current)];
  const isConfigured = duration !== null || workspace.settings.autoDestroyAt !== null;
  return {
    at: due === undefined ? null : timestamp(due),
    duration,
    status: due !== undefined ? ('scheduled' as const) : isConfigured ? ('requested' as const) : null,
  };
};

const computedAttributes = (view: WorkspaceView): ComputedValues<typeof attributes> => {
  const { workspace, organization, project, rights, releases } = view;
  const { settings, text, lock, runMetrics } = workspace;
  const { mode, agentPool } = effectiveExecution(workspace, inheritedExecution(organization, project));
  const resolved = resolveVersion(settings.infraVersion, releases);
  const destroy = autoDestroy(view);
  return {
    name: workspace.name,
    description: text.description,
    'created-at': timestamp(workspace.createdAt),
    'updated-at': timestamp(workspace.updatedAt),
    'latest-change-at': timestamp(workspace.latestChangeAt),
    environment: 'default',
    locked: lock !== undefined,
    'locked-at': lock ? timestamp(lock.at) : null,
    'lock-expires-at': lock?.expiresAt === undefined ? null : timestamp(lock.expiresAt),
    'locked-reason': lock?.reason ?? '',
    'execution-mode': mode,
    operations: mode !== 'local',
    'agent-pool-id': agentPool,
    'setting-overwrites': {
      'execution-mode': workspace.overwrites.executionMode,
      'agent-pool': workspace.overwrites.agentPool,
      'deletion-protection': typeof settings.deletionProtection === 'boolean',
    },
    'deletion-protection': isProtected(workspace, inheritedProtection(organization, project)),
    'assessments-enabled':
      organization.assessmentsEnforced ||
      (settings.assessmentsEnabled && assessmentsAvailable(organization.plan, resolved, mode)),
    'hyok-enabled': false,
    'auto-destroy-at': destroy.at,
    'auto-destroy-activity-duration': destroy.duration,
    'auto-destroy-status': destroy.status,
    'inherits-project-auto-destroy': settings.inheritsProjectAutoDestroy,
    'file-triggers-enabled': settings.fileTriggersEnabled,
    'global-remote-state': settings.globalRemoteState,
    'project-remote-state': settings.projectRemoteState ?? false,
    source: 'tfe-api',
    'source-name': settings.sourceName,
    'source-url': settings.sourceUrl,
    'imported-from': showWorkspaceSource(settings.importedFrom),
    'infra-version': settings.infraVersion,
    'infra-version-resolved': resolved ?? null,
    'trigger-prefixes': text.triggerPrefixes,
    'trigger-patterns': text.triggerPatterns,
    'vcs-repo': repository(workspace.vcsRepo),
    'vcs-repo-identifier': workspace.vcsRepo?.identifier ?? null,
    'oauth-client-name': workspace.vcsRepo?.clientName ?? null,
    'tag-names': tagNames(workspace.tags),
    'resource-count': Math.max(0, workspace.current?.resources ?? 0),
    'apply-duration-average': runMetrics?.applyDuration ?? null,
    'plan-duration-average': runMetrics?.planDuration ?? null,
    'policy-check-failures': runMetrics?.policyCheckFailures ?? null,
    'run-failures': runMetrics?.runFailures ?? null,
    'workspace-kpis-run-count': runMetrics?.runs ?? null,
    'last-assessment-result-at': null,
    'effective-run-data-retention-desc': null,
    'effective-state-version-retention-desc': null,
    actions: { 'is-destroyable': settings.allowDestroyPlan },
    permissions: workspacePermissions(rights, organization),
  };
};

const holders = { User: 'users', Team: 'teams', Run: 'runs' } as const;

const relationships = ({ workspace, organization, project, features }: WorkspaceView): Record<string, Relationship> => {
  const { id, lock, current, sshKey, retentionPolicy, run, configurationVersion, readme } = workspace;
  const self = `${BASE_PATH}/workspaces/${id}`;
  const { agentPool } = effectiveExecution(workspace, inheritedExecution(organization, project));
  const holder = lock && holders[lock.kind];
  return {
    organization: toOne('organizations', organization.name),
    project: toOne('projects', workspace.project),
    'agent-pool': toOne('agent-pools', agentPool),
    'ssh-key': toOneLinked('ssh-keys', sshKey),
    'locked-by': lock && holder ? toOneLinked(holder, lock.by) : { data: null },
    'current-run': toOneLinked('runs', run?.id),
    'latest-run': toOneLinked('runs', run?.id),
    'current-configuration-version': toOneLinked('configuration-versions', configurationVersion?.id),
    'current-assessment-result': { data: null },
    'current-state-version': {
      data: current && { type: 'state-versions', id: current.id },
      links: { related: `${self}/current-state-version` },
    },
    readme: toOne('workspace-readme', readme?.configurationVersion),
    outputs: { links: { related: `${self}/current-state-version-outputs` } },
    vars: { links: { related: `${self}/vars` } },
    'remote-state-consumers': { links: { related: `${self}/relationships/remote-state-consumers` } },
    'tag-bindings': { links: { related: `${self}/tag-bindings` } },
    'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    ...(features.retentionPolicies && {
      'data-retention-policy': retentionRelationship(retentionPolicy, { type: 'workspaces', id }),
    }),
  };
};

/** Builds the complete resource of a workspace, which is the same in every response (WS-6). */
export const workspaceResource = (view: WorkspaceView): Resource => {
  const { id, name, organization, revision } = view.workspace;
  return {
    id,
    [REVISED]: { id, revision },
    type: 'workspaces',
    attributes: responseAttributes(attributes, view.workspace.settings, computedAttributes(view), view.features),
    relationships: relationships(view),
    links: {
      self: `${BASE_PATH}/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  };
};
