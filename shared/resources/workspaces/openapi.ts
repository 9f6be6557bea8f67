import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import type { Inclusions } from '../../openapi/operation.ts';
import { BASE_PATH } from '../../routes/api.ts';
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
import { id, only, path } from '../../schemas/schema.ts';
import { agentPool } from '../agent-pools/openapi.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { configurationVersion, ingressAttributes, readme } from '../configuration-versions/openapi.ts';
import { organization } from '../organizations/openapi.ts';
import { project } from '../projects/openapi.ts';
import { apply, plan, run } from '../runs/openapi.ts';
import { stateVersion, workspaceOutput } from '../state-versions/openapi.ts';
import { effectiveTagBinding } from '../tags/openapi.ts';
import { team } from '../teams/openapi.ts';
import { user } from '../users/openapi.ts';
import { variable } from '../variables/openapi.ts';
import { attributes } from './attributes.ts';

/** The complete record of a workspace (WS-6). */
export const workspace = resource('Workspace', {
  type: 'workspaces',
  description: 'A workspace as the caller sees it: running infrastructure, its settings, and who holds its lock.',
  id: id(prefixes.workspace),
  attributes: responseProperties(attributes),
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
    self: path(`${BASE_PATH}/organizations/acme/workspaces/network`),
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
