import { readmeKey } from '../../shared/blob/blob-keys.ts';
import type { Bucket } from '../../shared/blob/bucket.ts';
import { limits } from '../../shared/domain/limits.ts';
import type {
  ConfigurationReport,
  ConfigurationVersion,
  IngressAttributes,
} from '../../shared/domain/runs/configuration-versions.ts';
import type { RunReport } from '../../shared/domain/runs/run.ts';
import { timeOf } from '../../shared/events/consume.ts';
import type { OperationRequest } from '../../shared/events/schemas/incoming.ts';

/** Maps runner events to domain reports. An omitted property is false or null. */

/** Maps the run of an event to a run report. @throws DomainError 422 for an invalid time. */
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

type ConfigurationVersionDetail = OperationRequest<'configuration-version.updated'>['configuration-version'];

const ingressOf = (ingress: ConfigurationVersionDetail['ingress-attributes']): IngressAttributes | null =>
  ingress
    ? {
        branch: ingress.branch ?? null,
        cloneUrl: ingress['clone-url'] ?? null,
        commitMessage: ingress['commit-message'] ?? null,
        commitSha: ingress['commit-sha'] ?? null,
        commitUrl: ingress['commit-url'] ?? null,
        compareUrl: ingress['compare-url'] ?? null,
        identifier: ingress.identifier ?? null,
        isPullRequest: ingress['is-pull-request'] ?? false,
        onDefaultBranch: ingress['on-default-branch'] ?? false,
        pullRequestNumber: ingress['pull-request-number'] ?? null,
        pullRequestTitle: ingress['pull-request-title'] ?? null,
        pullRequestUrl: ingress['pull-request-url'] ?? null,
        senderUsername: ingress['sender-username'] ?? null,
        tag: ingress.tag ?? null,
      }
    : null;

const descriptionOf = (detail: ConfigurationVersionDetail): ConfigurationVersion['description'] => ({
  source: detail.source ?? null,
  autoQueueRuns: detail['auto-queue-runs'] ?? false,
  error: detail.error ?? null,
  errorMessage: detail['error-message'] ?? null,
  ingress: ingressOf(detail['ingress-attributes']),
});

/**
 * Maps the configuration version of an event to a report.
 * @param readme text of its README.md, if it has one.
 * @throws DomainError 422 for an invalid time.
 */
export const configurationReportOf = (
  workspace: string,
  detail: ConfigurationVersionDetail,
  readme?: string,
): ConfigurationReport => ({
  id: detail.id,
  workspace,
  status: detail.status,
  at: timeOf('at', detail.at),
  createdAt: timeOf('created-at', detail['created-at']),
  speculative: detail.speculative,
  description: descriptionOf(detail),
  hasReadmeObject: detail['readme-object'] ?? false,
  readme,
});

/** Creates the reader of README.md objects. It stops as soon as an object exceeds the allowed size. */
export const readmeReader =
  ({ find, read }: Pick<Bucket, 'find' | 'read'>) =>
  async (workspace: string, configurationVersion: string): Promise<string | undefined> => {
    const key = readmeKey(workspace, configurationVersion);
    const object = await find(key);
    if (object === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of await read(key, object.version)) {
      pieces.push(piece);
      size += piece.length;
      if (size > limits.readme) break;
    }
    return Buffer.concat(pieces).toString('utf8');
  };
