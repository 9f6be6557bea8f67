import { prefixes } from '../../domain/ids.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { type WorkspaceInclude, workspaceIncludeTypes } from '../../routes/route.ts';
import {
  type Inclusions,
  linkOnly,
  type ResourceSchema,
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

type IncludedType = (typeof workspaceIncludeTypes)[WorkspaceInclude][number];

/** The schemas of the resources that can be included with workspaces. */
const included: Readonly<Record<IncludedType, ResourceSchema>> = {
  'agent-pools': agentPool,
  applies: apply,
  'configuration-versions': configurationVersion,
  'effective-tag-bindings': effectiveTagBinding,
  'ingress-attributes': ingressAttributes,
  organizations: organization,
  plans: plan,
  projects: project,
  runs: run,
  'state-versions': stateVersion,
  teams: team,
  users: user,
  vars: variable,
  'workspace-outputs': workspaceOutput,
  'workspace-readme': readme,
};

/** The schemas of the resources that each value of `include` brings. */
export const workspaceInclusions = Object.fromEntries(
  Object.entries(workspaceIncludeTypes).map(([name, types]) => [name, types.map((type) => included[type])]),
) as unknown as Inclusions<WorkspaceInclude>;
