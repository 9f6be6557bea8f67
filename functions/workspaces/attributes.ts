import { eitherName } from '../../shared/domain/either-name.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { ConfigurationRequest, VcsRepoRequest } from '../../shared/domain/workspace/configure.ts';
import type { WorkspaceAttributes } from '../../shared/schemas/request-bodies.ts';

/** An absent key stays absent: omitting an attribute and setting it are different requests. */
const defined = <T extends object>(request: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as never;

const timeOf = (text: string | null | undefined): number | null | undefined => {
  if (text === undefined || text === null) return text;
  const time = parseTimestamp(text);
  if (time === undefined)
    throw invalid('auto-destroy-at', 'Auto destroy at is not a date that exists, or too far away');
  return time;
};

/** `""` is how some clients write that there is none. */
const present = (text: string | null | undefined): string | undefined => text || undefined;

const repositoryOf = (repo: WorkspaceAttributes['vcs-repo']): VcsRepoRequest | null | undefined => {
  if (repo === undefined || repo === null) return repo;
  return defined({
    branch: repo.branch,
    identifier: repo.identifier,
    ingressSubmodules: repo['ingress-submodules'],
    oauthTokenId: present(repo['oauth-token-id']),
    appInstallationId: eitherName(
      'vcs-repo.app-installation-id',
      present(repo['app-installation-id']),
      'github-app-installation-id',
      present(repo['github-app-installation-id']),
    ),
    tagsRegex: repo['tags-regex'],
  }) as VcsRepoRequest;
};

const listOf = (list: string[] | null | undefined): string[] | undefined => (list === null ? [] : list);

/**
 * What a request's attributes ask for: the one place that knows both their names on the wire and the domain's.
 * @throws DomainError `invalid-attribute`.
 */
export const configurationRequestOf = (attributes: WorkspaceAttributes): ConfigurationRequest => {
  const overwrites = attributes['setting-overwrites'];
  return defined({
    name: attributes.name,
    description: attributes.description,
    agentPool: attributes['agent-pool-id'] === '' ? null : attributes['agent-pool-id'],
    allowDestroyPlan: attributes['allow-destroy-plan'],
    assessmentsEnabled: attributes['assessments-enabled'],
    autoApply: attributes['auto-apply'],
    autoApplyRunTrigger: attributes['auto-apply-run-trigger'],
    autoDestroyAt: timeOf(attributes['auto-destroy-at']),
    autoDestroyActivityDuration: attributes['auto-destroy-activity-duration'],
    inheritsProjectAutoDestroy: attributes['inherits-project-auto-destroy'],
    executionMode: attributes['execution-mode'],
    operations: attributes.operations,
    overwrites: overwrites
      ? defined({ executionMode: overwrites['execution-mode'], agentPool: overwrites['agent-pool'] })
      : undefined,
    fileTriggersEnabled: attributes['file-triggers-enabled'],
    globalRemoteState: attributes['global-remote-state'],
    infraVersion: eitherName(
      'infra-version',
      attributes['infra-version'],
      'terraform-version',
      attributes['terraform-version'],
    ),
    queueAllRuns: attributes['queue-all-runs'],
    sourceName: attributes['source-name'],
    sourceUrl: attributes['source-url'],
    speculativeEnabled: attributes['speculative-enabled'],
    structuredRunOutputEnabled: attributes['structured-run-output-enabled'],
    triggerPatterns: listOf(attributes['trigger-patterns']),
    triggerPrefixes: listOf(attributes['trigger-prefixes']),
    workingDirectory: attributes['working-directory'],
    vcsRepo: repositoryOf(attributes['vcs-repo']),
  }) as ConfigurationRequest;
};
