import type { AttributeName, ExecutionMode, Variable } from '../../../../shared/client/types.ts';

/** Formats a number with the noun that it counts, such as "1 workspace" or "2 workspaces". */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** Words of names that are not written in lower case. */
const spellings: Readonly<Record<string, string>> = {
  api: 'API',
  hcl: 'HCL',
  http: 'HTTP',
  id: 'ID',
  kms: 'KMS',
  oauth: 'OAuth',
  saml: 'SAML',
  ssh: 'SSH',
  sso: 'SSO',
  url: 'URL',
  vcs: 'VCS',
};

/**
 * Makes a name of the API readable: `workspace.tags-changed` becomes "Workspace tags changed", and `stateVersions` becomes
 * "State versions".
 */
export const toWords = (name: string): string => {
  const lower = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // "Sign-in" has a hyphen.
  const words = lower.split(/[._]|(?<!\bsign)-/).map((word) => spellings[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Stands for what no runner has reported. Settings without a value are "none". */
export const NOT_REPORTED = 'not reported';

/** Removes the resource from the name of an action: `workspace.locked` becomes `locked`. */
export const withoutResource = (action: string): string => action.replace(/^[^.]*\./, '');

/** Names with a label that are attributes of the hosted edition, of histories, of requests, or members of an attribute. */
type OtherName =
  | 'assessments-enabled'
  | 'assessments-enforced'
  | 'plan-identifier'
  | 'data-retention-policy'
  | 'tag-bindings'
  | 'team-access'
  | 'default-agent-pool-id'
  | 'oauth-token-id';

/** Labels of attributes whose names alone do not say enough. */
const labels = {
  'agent-pool-id': 'Agent pool',
  'allow-destroy-plan': 'Allow destroy plans',
  'allow-force-delete-workspaces': 'Admins of workspaces may force delete',
  'allowed-value-references': 'Parameters and secrets that variables may name',
  'apply-duration-average': 'Average apply duration',
  'assessments-enabled': 'Health assessments',
  'assessments-enforced': 'Health assessments of all workspaces',
  'auto-apply': 'Apply successful plans without confirmation',
  'auto-apply-run-trigger': 'Apply runs that another workspace has started without confirmation',
  'auto-destroy-activity-duration': 'Inactivity before auto-destroy',
  'auto-destroy-at': 'Auto-destroy at',
  'auto-destroy-status': 'Status of auto-destroy',
  'collaborator-auth-policy': 'Sign-in policy',
  'data-retention-policy': 'Retention',
  'default-agent-pool-id': 'Default agent pool',
  'effective-run-data-retention-desc': 'Retention of run data in force',
  'effective-state-version-retention-desc': 'Retention of state versions in force',
  'disable-overrides': 'Value fixed by the project',
  email: 'E-mail',
  'enforce-hyok': 'Own encryption keys (HYOK) required',
  'expired-at': 'Expires',
  'external-id': 'ID',
  'file-triggers-enabled': 'Only changes of certain files start a run',
  global: 'Applies to all workspaces',
  'global-remote-state': 'State shared with the organization',
  'infra-version': 'Tool version',
  'infra-version-resolved': 'Tool version in force',
  'inherits-project-auto-destroy': 'Inherits auto-destroy of the project',
  'is-unified': 'Unified',
  'last-assessment-result-at': 'Last health assessment',
  'latest-change-at': 'State changed',
  'max-ttl-enabled': 'Lifetime of tokens limited',
  'oauth-client-name': 'Name of the VCS connection',
  'oauth-token-id': 'VCS connection',
  'organization-access': 'Access to the organization',
  'owners-team-saml-role-id': 'Group of the owners',
  'plan-duration-average': 'Average plan duration',
  'plan-identifier': 'Plan',
  'policy-check-failures': 'Runs in the averages that failed because of a policy',
  'project-remote-state': 'State shared with the project',
  'queue-all-runs': 'Queue runs before the first manual run',
  'remaining-testable-count': 'Remaining tests',
  'resource-count': 'Managed resources',
  'run-failures': 'Failed runs in the averages',
  'session-remember': 'Sessions end after (minutes)',
  'session-timeout': 'Idle sessions end after (minutes)',
  'setting-overwrites': 'Own value of',
  'sign-in-policy': 'Tokens of users work',
  'speculative-enabled': 'Plan pull requests',
  'sso-team-id': 'Group at identity providers',
  'structured-run-output-enabled': 'Show structured output of runs',
  'tag-bindings': 'Tag',
  'team-access': 'Access of team',
  'trigger-patterns': 'Patterns of files that start runs',
  'trigger-prefixes': 'Directories of files that start runs',
  'two-factor-conformant': 'Two-factor sign-in fulfilled',
  'user-tokens-enabled': 'Accept user tokens',
  'vcs-repo': 'Repository',
  'workspace-kpis-run-count': 'Runs in the averages',
} satisfies Partial<Record<AttributeName | OtherName, string>>;

/** Returns the label of an attribute of the API: `created-at` becomes "Created", `infra-version` becomes "Tool version". */
export const toLabel = (name: string): string =>
  (labels as Readonly<Record<string, string>>)[name] ?? toWords(name.replace(/[-_]at$/, ''));

/** Says what the default of deletion protection does. */
export const DEFAULT_PROTECTION_HINT =
  'While it is on, nobody can delete the workspaces that inherit it, not even by force. Admins of a workspace can turn it off there.';

/** Says how a group at an identity provider is entered. */
export const GROUP_HINT = 'Enter it as the identity provider states it: at Entra ID, the object ID of the group.';

/** Returns the status of a run in words. */
export const runStatusLabel = (status: string): string =>
  status === 'errored' ? 'failed' : status.replaceAll('_', ' ');

/** Categories of variables in words. `infra` is another name of `terraform`, which users know. */
const categories: Readonly<Record<string, string>> = {
  env: 'environment',
  infra: 'terraform',
  terraform: 'terraform',
} satisfies Record<Variable['attributes']['category'], string>;

/** Returns the category of a variable in words. */
export const categoryLabel = (category: string): string => categories[category] ?? category;

/** Labels of execution modes for forms. */
export const modeLabels: Readonly<Record<ExecutionMode, string>> = {
  remote: 'Remote',
  local: 'Local: only stores state',
  agent: 'Agent',
};

/** Execution modes as the API spells them. */
export const executionModes = Object.keys(modeLabels);
