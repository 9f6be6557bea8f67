import { workspacePermissionNames } from '../../access/workspace-policy.ts';
import { executionModes, serviceProviders } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { TIMESTAMP } from '../../domain/timestamps.ts';
import {
  count,
  flag,
  flags,
  id,
  list,
  nullable,
  nullableList,
  nullableObject,
  object,
  oneOf,
  optional,
  text,
  time,
} from '../../schemas/schema.ts';
import {
  type AttributeTableWithSettings,
  type RequestAttributes,
  type SettingsOf,
  setting,
} from '../attribute-table.ts';
import { workspaceSource } from '../imported-from.ts';

const RUNS = 'of the last 30 runs that were applied or failed';
const OVERWRITES = 'True: the workspace has its own value. False: it inherits the value.';

/** A path without a leading slash, a drive letter, a backslash or a `..` segment. */
const RELATIVE_PATH = '^(?!/|[A-Za-z]:|([\\s\\S]*/)?\\.\\.(/|$))[^\\\\]*$';

const pattern = text(undefined, { minLength: 1, maxLength: limits.pattern });

/** The attributes of a workspace (WS-6, WS-21). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text('Letters, digits, `-` and `_`; unique in the organization. Required to create a workspace.', {
      minLength: 1,
      maxLength: limits.workspaceName,
      pattern: '^[A-Za-z0-9_-]+$',
    }),
    response: text('Unique in the organization.', { examples: ['network'] }),
  },
  description: {
    request: nullable(text(undefined, { maxLength: limits.description })),
    response: nullable(text()),
  },
  'created-at': { response: time() },
  'updated-at': { response: time('When the settings of the workspace last changed.') },
  'latest-change-at': {
    response: time('When the newest state version was created, or the workspace itself if it has no state.'),
  },
  environment: { response: text(undefined, { const: 'default' }) },
  locked: { response: flag() },
  'locked-at': { response: nullable(time('When the workspace was locked; null if it is not locked.')) },
  'lock-expires-at': {
    response: nullable(time('End of the lease of the lock; null without a lease, or if the workspace is not locked.')),
  },
  'locked-reason': { response: text('The reason given with the lock; empty if the workspace is not locked.') },
  'execution-mode': {
    request: oneOf(executionModes, '`local` only stores state. If omitted, the mode is inherited.'),
    response: oneOf(executionModes, 'The effective mode, own or inherited.'),
  },
  operations: {
    request: flag('False only stores state. Use `execution-mode` instead.', { deprecated: true }),
    response: flag('Whether runs are executed remotely or by an agent. Use `execution-mode` instead.', {
      deprecated: true,
    }),
  },
  'agent-pool-id': {
    request: nullable(
      text('An agent pool of the organization. Allowed only with the mode `agent`.', { maxLength: limits.id }),
    ),
    response: nullable(id(prefixes.agentPool, 'The effective agent pool; null unless the mode is `agent`.')),
  },
  'setting-overwrites': {
    request: nullableObject(
      {
        'execution-mode': optional(flag()),
        'agent-pool': optional(flag()),
        'deletion-protection': optional(flag()),
      },
      { description: OVERWRITES },
    ),
    response: object(
      { 'execution-mode': flag(), 'agent-pool': flag(), 'deletion-protection': flag() },
      { description: OVERWRITES },
    ),
  },
  'deletion-protection': {
    request: flag('Whether deletions of the workspace are rejected. If omitted, the value is inherited.'),
    response: flag('Whether deletions of the workspace are rejected: the effective value, own or inherited.'),
  },
  'allow-destroy-plan': setting({
    setting: 'allowDestroyPlan',
    schema: flag('Whether destroy plans can be queued.'),
    default: true,
  }),
  'assessments-enabled': {
    feature: 'healthAssessments',
    request: nullable(
      flag(
        'Whether health assessments run. True is available only on the hosted edition, to organizations with the plan `plus`.',
      ),
    ),
    response: flag('Whether health assessments run.'),
  },
  'hyok-enabled': { feature: 'holdYourOwnKey', response: flag() },
  'auto-apply': setting({
    setting: 'autoApply',
    schema: flag('Whether a successful plan is applied without confirmation.'),
    default: false,
  }),
  'auto-apply-run-trigger': setting({
    setting: 'autoApplyRunTrigger',
    schema: flag('Whether a successful plan is applied without confirmation in runs that another workspace triggered.'),
    default: false,
  }),
  'auto-destroy-at': {
    request: nullable(
      text('When the next destroy run is due; not in the past.', {
        maxLength: 64,
        format: 'date-time',
        pattern: TIMESTAMP,
        examples: ['2030-01-31T08:00:00Z'],
      }),
    ),
    response: nullable(time('When the next destroy run is due; null after it was requested.')),
  },
  'auto-destroy-activity-duration': {
    request: nullable(
      text('Days or hours without activity after which a destroy run is requested: `14d`, `24h`.', {
        maxLength: 5,
        pattern: '^(?!0+[dh])[0-9]{1,4}[dh]$',
      }),
    ),
    response: nullable(
      text('Time without activity after which a destroy run is requested, own or inherited.', { examples: ['14d'] }),
    ),
  },
  'auto-destroy-status': {
    response: nullable(text('`scheduled`, or `requested` after the destroy run was requested.')),
  },
  'inherits-project-auto-destroy': {
    request: flag(),
    response: flag('Whether the duration of the project applies.'),
  },
  'file-triggers-enabled': {
    request: flag('Whether only changes of certain files start a run; true if omitted.'),
    response: flag('Whether only changes of certain files start a run.'),
  },
  'global-remote-state': {
    request: flag('Whether every workspace of the organization may read the state.'),
    response: flag('Whether every workspace of the organization may read the state.'),
  },
  'project-remote-state': {
    request: flag('Whether every workspace of the project may read the state. Excludes `global-remote-state`.'),
    response: flag('Whether every workspace of the project may read the state.'),
  },
  'queue-all-runs': setting({
    setting: 'queueAllRuns',
    schema: flag('Whether runs are queued before the first run was queued manually.'),
    default: false,
  }),
  'speculative-enabled': setting({
    setting: 'speculativeEnabled',
    schema: flag('Whether pull requests are planned.'),
    default: true,
  }),
  'structured-run-output-enabled': setting({
    setting: 'structuredRunOutputEnabled',
    schema: flag('Whether runs show structured output instead of text.'),
    default: true,
  }),
  source: { response: text(undefined, { const: 'tfe-api' }) },
  'source-name': {
    request: nullable(
      text('The client that creates the workspace. Updates ignore it.', { maxLength: limits.sourceName }),
    ),
    response: nullable(text('The client that created the workspace.')),
  },
  'source-url': {
    request: nullable(
      text('URL of the client that creates the workspace. Updates ignore it.', {
        maxLength: limits.sourceUrl,
        pattern: '^(https?://[^\\s]+)?$',
      }),
    ),
    response: nullable(text()),
  },
  'imported-from': workspaceSource,
  'infra-version': {
    request: text(
      'Version of the infrastructure tool: exact, a constraint, or `latest`. If omitted, the newest release.',
      {
        maxLength: limits.version,
        minLength: 1,
      },
    ),
    response: text('Version of the infrastructure tool as it was sent: exact, a constraint, or `latest`.', {
      examples: ['~> 1.9.0'],
    }),
  },
  'terraform-version': { synonymOf: 'infra-version' },
  'infra-version-resolved': { response: nullable(text('The effective release.', { examples: ['1.9.8'] })) },
  'trigger-prefixes': {
    request: nullableList(pattern, 'Directories whose changes start a run.', { maxItems: limits.patterns }),
    response: list(text(), 'Directories whose changes start a run.'),
  },
  'trigger-patterns': {
    request: nullableList(pattern, 'Glob patterns of files whose changes start a run.', { maxItems: limits.patterns }),
    response: list(text(), 'Glob patterns of files whose changes start a run.'),
  },
  'working-directory': setting({
    setting: 'workingDirectory',
    schema: nullable(
      text('Relative path of the directory that runs are executed in; null is the root of the repository.', {
        maxLength: limits.workingDirectory,
        pattern: RELATIVE_PATH,
        examples: ['environments/production'],
      }),
    ),
    default: null,
  }),
  'vcs-repo': {
    request: nullableObject(
      {
        branch: optional(nullable(text("Empty: the repository's default branch.", { maxLength: limits.branch }))),
        identifier: optional(
          text('The repository, `org/repo`.', { maxLength: limits.identifier, pattern: '^[^/\\s]+(/[^/\\s]+)+$' }),
        ),
        'ingress-submodules': optional(flag('Whether submodules are fetched; false if omitted.')),
        'oauth-token-id': optional(nullable(text('The VCS connection.', { maxLength: limits.id }))),
        'app-installation-id': optional(
          nullable(
            text('An app installation instead of a VCS connection. Only updates may set it.', { maxLength: limits.id }),
          ),
        ),
        'github-app-installation-id': optional(
          nullable(text('Another name of `app-installation-id`.', { maxLength: limits.id })),
        ),
        'tags-regex': optional(
          nullable(text('RE2 expression of the Git tags that start a run.', { maxLength: limits.tagsRegex })),
        ),
      },
      { description: '`oauth-token-id` and `identifier` are required the first time. Null removes the repository.' },
    ),
    response: nullable(
      object({
        branch: text("Branch that runs use; empty is the repository's default branch."),
        identifier: text('The repository, `org/repo`.', { examples: ['acme/infrastructure'] }),
        'display-identifier': text(),
        'ingress-submodules': flag('Whether submodules are fetched.'),
        'oauth-token-id': nullable(id(prefixes.vcsConnection)),
        'app-installation-id': optional(id(prefixes.appInstallation)),
        'github-app-installation-id': optional(id(prefixes.appInstallation, 'Another name of `app-installation-id`.')),
        'repository-http-url': text(undefined, { examples: ['https://github.com/acme/infrastructure'] }),
        'service-provider': oneOf([...serviceProviders, 'github_app']),
        'tags-regex': nullable(text('RE2 expression of the Git tags that start a run.')),
        'webhook-url': nullable(text()),
        'source-directory': nullable(text()),
        'tag-prefix': nullable(text()),
      }),
    ),
  },
  'vcs-repo-identifier': { response: nullable(text()) },
  'oauth-client-name': { response: nullable(text()) },
  'tag-names': { response: list(text(), 'The flat tags, in the order in which they were added.') },
  'resource-count': { response: count('Number of resources that the workspace manages.') },
  'apply-duration-average': {
    response: nullable(count(`Average time in the apply phase ${RUNS}, in milliseconds.`)),
  },
  'plan-duration-average': { response: nullable(count(`Average time in the plan phase ${RUNS}, in milliseconds.`)) },
  'policy-check-failures': { response: nullable(count(`Failures of policy checks ${RUNS}.`)) },
  'run-failures': { response: nullable(count(`Failures ${RUNS}.`)) },
  'workspace-kpis-run-count': { response: nullable(count('Number of runs in these metrics.')) },
  // Clients read either of the two names (WS-13).
  'workspace-kpis-runs-count': { synonymOf: 'workspace-kpis-run-count' },
  'last-assessment-result-at': { response: nullable(time()) },
  'effective-run-data-retention-desc': { feature: 'retentionPolicies', response: nullable(text()) },
  'effective-state-version-retention-desc': { feature: 'retentionPolicies', response: nullable(text()) },
  actions: { response: object({ 'is-destroyable': flag() }) },
  permissions: { response: flags(workspacePermissionNames, 'What the caller may do with the workspace.') },
} as const satisfies AttributeTableWithSettings;

/** The attributes of a workspace in a request. */
export type WorkspaceAttributes = RequestAttributes<typeof attributes>;

declare module '../../domain/workspace/workspace-record.ts' {
  interface PlainSettings extends SettingsOf<typeof attributes> {}
}
