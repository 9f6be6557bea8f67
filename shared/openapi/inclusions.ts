import { agentPool } from '../resources/agent-pools/openapi.ts';
import { configurationVersion, ingressAttributes, readme } from '../resources/configuration-versions/openapi.ts';
import { oauthClient, oauthToken } from '../resources/oauth-clients/openapi.ts';
import { organization } from '../resources/organizations/openapi.ts';
import { project } from '../resources/projects/openapi.ts';
import { apply, plan, run } from '../resources/runs/openapi.ts';
import { sshKey } from '../resources/ssh-keys/openapi.ts';
import { stateVersion, workspaceOutput } from '../resources/state-versions/openapi.ts';
import { effectiveTagBinding, tag, tagBinding } from '../resources/tags/openapi.ts';
import { team } from '../resources/teams/openapi.ts';
import { user } from '../resources/users/openapi.ts';
import { variable } from '../resources/variables/openapi.ts';
import { workspace } from '../resources/workspaces/openapi.ts';
import {
  type AgentPoolInclude,
  agentPoolIncludeTypes,
  type WorkspaceInclude,
  workspaceIncludeTypes,
} from '../routes/route.ts';
import type { Inclusions, ResourceSchema } from '../schemas/resource-schema.ts';

type IncludedType =
  | (typeof workspaceIncludeTypes)[WorkspaceInclude][number]
  | (typeof agentPoolIncludeTypes)[AgentPoolInclude][number];

/** Schemas of the resources that can be included, by type. */
const schemas = {
  'agent-pools': agentPool,
  applies: apply,
  'configuration-versions': configurationVersion,
  'effective-tag-bindings': effectiveTagBinding,
  'ingress-attributes': ingressAttributes,
  'oauth-clients': oauthClient,
  'oauth-tokens': oauthToken,
  organizations: organization,
  plans: plan,
  projects: project,
  runs: run,
  'ssh-keys': sshKey,
  'state-versions': stateVersion,
  'tag-bindings': tagBinding,
  tags: tag,
  teams: team,
  users: user,
  vars: variable,
  'workspace-outputs': workspaceOutput,
  'workspace-readme': readme,
  workspaces: workspace,
};

/** @throws Error for a type without a schema. The type checker reports it as well, but the generator runs before it. */
const findSchema = (type: IncludedType): ResourceSchema => {
  const known: Readonly<Record<IncludedType, ResourceSchema>> = schemas;
  const schema: ResourceSchema | undefined = known[type];
  if (schema === undefined) throw new Error(`Add the schema of ${type} to shared/openapi/inclusions.ts`);
  return schema;
};

/** The schemas of the resources that each value of `include` on workspaces adds. */
export const workspaceInclusions = Object.fromEntries(
  Object.entries(workspaceIncludeTypes).map(([name, types]) => [name, types.map(findSchema)]),
) as unknown as Inclusions<WorkspaceInclude>;

/** The schemas of the resources that each value of `include` on agent pools adds. */
export const agentPoolInclusions = Object.fromEntries(
  Object.entries(agentPoolIncludeTypes).map(([name, types]) => [name, types.map(findSchema)]),
) as unknown as Inclusions<AgentPoolInclude>;
