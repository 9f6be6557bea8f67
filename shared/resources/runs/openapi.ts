import { prefixes } from '../../domain/ids.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { phaseStatuses, runStatuses } from '../../domain/runs/run.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { count, flag, id, nullable, object, oneOf, optional, path, text, time } from '../../schemas/schema.ts';
import { runActions, runPermissions } from './response.ts';

/** When each status was reached, under names such as `plan-queued-at`. */
const timestamps = (statuses: readonly string[]) =>
  object(Object.fromEntries(statuses.map((status) => [`${status.replaceAll('_', '-')}-at`, optional(time())])), {
    description: 'When it first had each status, as far as that has been told.',
  });

const RUN = `${BASE_PATH}/runs/run-CvpbqPPtsWSnyrTk`;
const VERSION = `${BASE_PATH}/configuration-versions/cv-CvpbqPPtsWSnyrTk`;

export const run = resource('Run', {
  type: 'runs',
  description: 'A run, as its runner has told of it. It is started, confirmed and cancelled there.',
  id: id(prefixes.run),
  attributes: {
    status: oneOf(runStatuses),
    'status-timestamps': timestamps(runStatuses),
    message: nullable(text()),
    source: nullable(text()),
    'created-at': time(),
    'is-destroy': flag('Whether it destroys what the workspace manages.'),
    'has-changes': nullable(flag('Whether there is anything to apply; null until it is planned.')),
    'plan-only': flag(),
    'save-plan': flag(),
    'auto-apply': flag(),
    actions: object(Object.fromEntries(runActions.map((name) => [name, flag()]))),
    permissions: object(Object.fromEntries(runPermissions.map((name) => [name, flag()]))),
  },
  relationships: {
    workspace: toOne('workspaces'),
    plan: toOne('plans'),
    apply: toOne('applies'),
    'configuration-version': toOneLinked('configuration-versions'),
  },
  links: { self: path(RUN) },
});

const phase = {
  status: oneOf(phaseStatuses),
  'status-timestamps': object({
    'started-at': optional(time()),
    'finished-at': optional(time()),
    'errored-at': optional(time()),
    'canceled-at': optional(time()),
  }),
};

export const plan = resource('Plan', {
  type: 'plans',
  description: 'The first phase of a run.',
  id: id(prefixes.plan),
  attributes: { ...phase, 'has-changes': nullable(flag()) },
});

export const apply = resource('Apply', {
  type: 'applies',
  description: 'The second phase of a run.',
  id: id(prefixes.apply),
  attributes: phase,
});

export const configurationVersion = resource('ConfigurationVersion', {
  type: 'configuration-versions',
  description: 'What a run works with, as its runner has told of it.',
  id: id(prefixes.configurationVersion),
  attributes: {
    status: oneOf(configurationStatuses),
    'status-timestamps': timestamps(configurationStatuses),
    source: nullable(text()),
    speculative: flag('Whether it is for plan-only runs alone.'),
    provisional: flag(),
    'auto-queue-runs': flag(),
    error: nullable(text()),
    'error-message': nullable(text()),
    'upload-url': nullable(text()),
    'created-at': time(),
  },
  relationships: { workspace: toOne('workspaces'), 'ingress-attributes': toOneLinked('ingress-attributes') },
  links: { self: path(VERSION) },
});

export const ingressAttributes = resource('IngressAttributes', {
  type: 'ingress-attributes',
  description: 'The commit that a configuration version was made from.',
  id: id(prefixes.ingressAttributes),
  attributes: {
    branch: nullable(text()),
    'clone-url': nullable(text()),
    'commit-message': nullable(text()),
    'commit-sha': nullable(text()),
    'commit-url': nullable(text()),
    'compare-url': nullable(text()),
    identifier: nullable(text()),
    'is-pull-request': flag(),
    'on-default-branch': flag(),
    'pull-request-number': nullable(count()),
    'pull-request-title': nullable(text()),
    'pull-request-url': nullable(text()),
    'sender-username': nullable(text()),
    tag: nullable(text()),
  },
  links: { self: path(`${VERSION}/ingress-attributes`) },
});

export const readme = resource('WorkspaceReadme', {
  type: 'workspace-readme',
  description: 'The README.md of a configuration version, up to 256 KB.',
  id: id(prefixes.configurationVersion),
  attributes: { 'raw-markdown': text() },
});
