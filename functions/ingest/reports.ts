import { DomainError } from '../../shared/domain/errors.ts';
import type {
  ConfigurationReport,
  ConfigurationVersion,
  IngressAttributes,
} from '../../shared/domain/runs/configuration-versions.ts';
import type { RunReport } from '../../shared/domain/runs/run.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { OperationRequest } from '../../shared/events/schemas/incoming.ts';

/** From the words of events to those of the domain, where what was left out is false or null. */

const timeOf = (name: string, text: string): number => {
  const time = parseTimestamp(text);
  if (time === undefined) throw new DomainError('unprocessable', `There is no such time as ${text} (${name}).`);
  return time;
};

export const runReportOf = (workspace: string, run: OperationRequest<'run.updated'>['run']): RunReport => ({
  id: run.id,
  workspace,
  status: run.status,
  at: timeOf('at', run.at),
  createdAt: timeOf('created-at', run['created-at']),
  planOnly: run['plan-only'],
  description: {
    message: run.message ?? null,
    source: run.source ?? null,
    isDestroy: run['is-destroy'] ?? false,
    autoApply: run['auto-apply'] ?? false,
    hasChanges: run['has-changes'] ?? null,
    savePlan: run['save-plan'] ?? false,
    configurationVersion: run['configuration-version'] ?? null,
  },
  token: run['token-sha256'],
});

type Told = OperationRequest<'configuration-version.updated'>['configuration-version'];

const ingressOf = (told: Told['ingress-attributes']): IngressAttributes | null =>
  told
    ? {
        branch: told.branch ?? null,
        cloneUrl: told['clone-url'] ?? null,
        commitMessage: told['commit-message'] ?? null,
        commitSha: told['commit-sha'] ?? null,
        commitUrl: told['commit-url'] ?? null,
        compareUrl: told['compare-url'] ?? null,
        identifier: told.identifier ?? null,
        isPullRequest: told['is-pull-request'] ?? false,
        onDefaultBranch: told['on-default-branch'] ?? false,
        pullRequestNumber: told['pull-request-number'] ?? null,
        pullRequestTitle: told['pull-request-title'] ?? null,
        pullRequestUrl: told['pull-request-url'] ?? null,
        senderUsername: told['sender-username'] ?? null,
        tag: told.tag ?? null,
      }
    : null;

const descriptionOf = (told: Told): ConfigurationVersion['description'] => ({
  source: told.source ?? null,
  autoQueueRuns: told['auto-queue-runs'] ?? false,
  error: told.error ?? null,
  errorMessage: told['error-message'] ?? null,
  ingress: ingressOf(told['ingress-attributes']),
});

/** @param readme the text of its README.md, where there is one. */
export const configurationReportOf = (workspace: string, told: Told, readme?: string): ConfigurationReport => ({
  id: told.id,
  workspace,
  status: told.status,
  at: timeOf('at', told.at),
  createdAt: timeOf('created-at', told['created-at']),
  speculative: told.speculative,
  description: descriptionOf(told),
  hasReadmeObject: told['readme-object'] ?? false,
  readme,
});
