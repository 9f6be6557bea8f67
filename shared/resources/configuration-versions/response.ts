import { prefixes } from '../../domain/ids.ts';
import {
  type ConfigurationVersion,
  configurationStatus,
  type IngressAttributes,
} from '../../domain/runs/configuration-versions.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import { statusTimestamps } from '../runs/status-timestamps.ts';
import type { attributes, ingressAttributes, readmeAttributes } from './attributes.ts';

/** Returns the id of the commit of a configuration version. */
const ingressId = ({ id }: ConfigurationVersion): string =>
  prefixes.ingressAttributes + id.slice(prefixes.configurationVersion.length);

const pathOf = ({ id }: ConfigurationVersion): string => `${BASE_PATH}/configuration-versions/${id}`;

/** Builds the resource of a configuration version, as its runner reported it (RUN-7). */
export const configurationVersionResource = (version: ConfigurationVersion): Resource => {
  const { id, workspace, createdAt, timeline, speculative, description } = version;
  const self = pathOf(version);
  return {
    id,
    type: 'configuration-versions',
    attributes: {
      status: configurationStatus(version),
      'status-timestamps': statusTimestamps(timeline),
      source: description.source,
      speculative,
      provisional: false,
      'auto-queue-runs': description.autoQueueRuns,
      error: description.error,
      'error-message': description.errorMessage,
      // The content was uploaded to the runner.
      'upload-url': null,
      'created-at': timestamp(createdAt),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      workspace: toOne('workspaces', workspace),
      'ingress-attributes': toOne(
        'ingress-attributes',
        description.ingress && ingressId(version),
        `${self}/ingress-attributes`,
      ),
    },
    links: { self },
  };
};

/** Builds the resource of the commit of a configuration version. */
export const ingressResource = (version: ConfigurationVersion, ingress: IngressAttributes): Resource => ({
  id: ingressId(version),
  type: 'ingress-attributes',
  attributes: {
    branch: ingress.branch,
    'clone-url': ingress.cloneUrl,
    'commit-message': ingress.commitMessage,
    'commit-sha': ingress.commitSha,
    'commit-url': ingress.commitUrl,
    'compare-url': ingress.compareUrl,
    identifier: ingress.identifier,
    'is-pull-request': ingress.isPullRequest,
    'on-default-branch': ingress.onDefaultBranch,
    'pull-request-number': ingress.pullRequestNumber,
    'pull-request-title': ingress.pullRequestTitle,
    'pull-request-url': ingress.pullRequestUrl,
    'sender-username': ingress.senderUsername,
    tag: ingress.tag,
  } satisfies ComputedValues<typeof ingressAttributes>,
  links: { self: `${pathOf(version)}/ingress-attributes` },
});

/** Builds the resource of the README of a configuration version (RUN-7). */
export const readmeResource = ({ of, text }: { readonly of: string; readonly text: string }): Resource => {
  const values: ComputedValues<typeof readmeAttributes> = { 'raw-markdown': text };
  return { id: of, type: 'workspace-readme', attributes: values };
};
