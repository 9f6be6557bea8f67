import { permissionNames } from '../../access/decide.ts';
import { executionModes, serviceProviders } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/retention/retention-policy.ts';
import type { Inclusions } from '../../openapi/operation.ts';
import { type WorkspaceInclude, workspaceIncludes } from '../../routes/route.ts';
import {
  linkOnly,
  resource,
  toManyLinked,
  toOne,
  toOneLinked,
  toOneOrNone,
  toOneOrNoneAt,
} from '../../schemas/resource-schema.ts';
import {
  count,
  flag,
  id,
  list,
  nullable,
  object,
  oneOf,
  only,
  optional,
  path,
  text,
  time,
} from '../../schemas/schema.ts';
import { agentPool } from '../agent-pools/openapi.ts';
import { organization } from '../organizations/openapi.ts';
import { project } from '../projects/openapi.ts';
import { apply, configurationVersion, ingressAttributes, plan, readme, run } from '../runs/openapi.ts';
import { stateVersion, workspaceOutput } from '../state-versions/openapi.ts';
import { effectiveTagBinding } from '../tags/openapi.ts';
import { team } from '../teams/openapi.ts';
import { user } from '../users/openapi.ts';
import { variable } from '../variables/openapi.ts';

const milliseconds = (description: string) => nullable(count(`${description}, in milliseconds.`));
const RUNS = 'of the last 30 runs that were applied or ended in error';

const vcsRepo = object({
  branch: text("Branch that runs use; empty is the repository's default branch."),
  identifier: text('The repository, `org/repo`.', { examples: ['acme/infrastructure'] }),
  'display-identifier': text(),
  'ingress-submodules': flag('Whether submodules are fetched.'),
  'oauth-token-id': nullable(id(prefixes.vcsConnection)),
  'app-installation-id': optional(id(prefixes.appInstallation)),
  'repository-http-url': text(undefined, { examples: ['https://github.com/acme/infrastructure'] }),
  'service-provider': oneOf([...serviceProviders, 'github_app']),
  'tags-regex': nullable(text('Git tags that start a run.')),
  'webhook-url': nullable(text()),
  'source-directory': nullable(text()),
  'tag-prefix': nullable(text()),
});

/** The complete record of a workspace (WS-6). */
export const workspace = resource('Workspace', {
  type: 'workspaces',
  description: 'A workspace as the caller sees it: running infrastructure, its settings, and who holds its lock.',
  id: id(prefixes.workspace),
  attributes: {
    name: text('Unique in the organization.', { examples: ['network'] }),
    description: nullable(text()),
    'created-at': time(),
    'updated-at': time('When its settings last changed.'),
    'latest-change-at': time('When its newest state version was made, or the workspace itself.'),
    environment: text(undefined, { const: 'default' }),
    locked: flag(),
    'locked-reason': text('What was said when it was locked; empty while it is not.'),
    'execution-mode': oneOf(executionModes, 'The mode in force, its own or inherited.'),
    operations: {
      ...flag('Whether runs are executed anywhere but locally; `execution-mode` says more.'),
      deprecated: true,
    },
    'agent-pool-id': nullable(id(prefixes.agentPool, 'The pool in force; null unless the mode is `agent`.')),
    'setting-overwrites': object(
      { 'execution-mode': flag(), 'agent-pool': flag() },
      { description: 'True: the workspace keeps its own value. False: it inherits.' },
    ),
    'allow-destroy-plan': flag('Whether destroy plans can be queued.'),
    'assessments-enabled': only('healthAssessments', flag('Whether health assessments run.')),
    'hyok-enabled': only('holdYourOwnKey', flag()),
    'auto-apply': flag('Whether runs apply by themselves after a successful plan.'),
    'auto-apply-run-trigger': flag('The same, for runs that another workspace triggered.'),
    'auto-destroy-at': nullable(time('When the next destroy run is due; null once it was asked for.')),
    'auto-destroy-activity-duration': nullable(
      text('After so long without activity a destroy run is asked for; may be inherited.', { examples: ['14d'] }),
    ),
    'auto-destroy-status': nullable(text('`scheduled`; `requested` once the destroy run was asked for.')),
    'inherits-project-auto-destroy': flag("Whether its project's duration counts."),
    'file-triggers-enabled': flag('Whether only changes of certain files start a run.'),
    'global-remote-state': flag('Whether every workspace of the organization may read its state.'),
    'project-remote-state': flag(),
    'queue-all-runs': flag(),
    'speculative-enabled': flag('Whether pull requests are planned.'),
    'structured-run-output-enabled': flag(),
    source: text(undefined, { const: 'tfe-api' }),
    'source-name': nullable(text('The client that made it.')),
    'source-url': nullable(text()),
    'infra-version': text('Version of the infrastructure tool as it was given: exact, a constraint, or `latest`.', {
      examples: ['~> 1.9.0'],
    }),
    'terraform-version': text('The same as `infra-version`.'),
    'infra-version-resolved': nullable(text('The release in force.', { examples: ['1.9.8'] })),
    'trigger-prefixes': list(text(), 'Directories whose changes start a run.'),
    'trigger-patterns': list(text(), 'Globs of files whose changes start a run.'),
    'working-directory': nullable(text()),
    'vcs-repo': nullable(vcsRepo),
    'vcs-repo-identifier': nullable(text()),
    'oauth-client-name': nullable(text()),
    'tag-names': list(text(), 'Its flat tags, in the order in which they were added.'),
    'resource-count': count('Resources that it manages.'),
    'apply-duration-average': milliseconds(`Average time in the apply phase ${RUNS}`),
    'plan-duration-average': milliseconds(`Average time in the plan phase ${RUNS}`),
    'policy-check-failures': nullable(count(`Failures of policy checks ${RUNS}.`)),
    'run-failures': nullable(count(`Failures ${RUNS}.`)),
    'workspace-kpis-run-count': nullable(count('How many runs these figures are of.')),
    'workspace-kpis-runs-count': nullable(count('The same, as some clients spell it.')),
    'last-assessment-result-at': nullable(time()),
    'effective-run-data-retention-desc': only('retentionPolicies', nullable(text())),
    'effective-state-version-retention-desc': only('retentionPolicies', nullable(text())),
    actions: object({ 'is-destroyable': flag() }),
    permissions: object(Object.fromEntries(permissionNames.map((name) => [name, flag()])), {
      description: 'What the caller may do with it.',
    }),
  },
  relationships: {
    organization: toOne('organizations'),
    project: toOne('projects'),
    'agent-pool': toOneOrNone('agent-pools'),
    'ssh-key': toOneLinked('ssh-keys'),
    'locked-by': toOneLinked('users', 'teams', 'runs'),
    'current-run': toOneLinked('runs'),
    'latest-run': toOneLinked('runs'),
    'current-configuration-version': toOneLinked('configuration-versions'),
    'current-assessment-result': toOneOrNone('assessment-results'),
    'current-state-version': toOneOrNoneAt('state-versions'),
    readme: toOneOrNone('workspace-readme'),
    outputs: toManyLinked('workspace-outputs'),
    vars: toManyLinked('vars'),
    'remote-state-consumers': linkOnly,
    'tag-bindings': linkOnly,
    'effective-tag-bindings': toManyLinked('effective-tag-bindings'),
    'data-retention-policy': only('retentionPolicies', toOneLinked(...retentionPolicyTypes)),
  },
  links: {
    self: path('/api/v2/organizations/acme/workspaces/network'),
    'self-html': path('/app/acme/workspaces/network'),
  },
});

const ofRun = (name: 'current_run' | 'latest_run') => ({
  [name]: [run],
  [`${name}.apply`]: [run, apply],
  [`${name}.configuration_version`]: [run, configurationVersion],
  [`${name}.configuration_version.ingress_attributes`]: [run, configurationVersion, ingressAttributes],
  [`${name}.plan`]: [run, plan],
});

/** What can be included with workspaces. */
export const workspaceInclusions: Inclusions<WorkspaceInclude> = {
  ...(Object.fromEntries(workspaceIncludes.map((name) => [name, []])) as unknown as Inclusions<WorkspaceInclude>),
  agent_pool: [agentPool],
  effective_tag_bindings: [effectiveTagBinding],
  locked_by: [user, team, run],
  current_configuration_version: [configurationVersion],
  'current_configuration_version.ingress_attributes': [configurationVersion, ingressAttributes],
  readme: [readme],
  current_state_version: [stateVersion],
  outputs: [workspaceOutput],
  ...ofRun('current_run'),
  ...ofRun('latest_run'),
  organization: [organization],
  project: [project],
  vars: [variable],
};
