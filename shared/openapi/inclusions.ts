import {
  type AgentPoolInclude,
  agentPoolIncludeTypes,
  type WorkspaceInclude,
  workspaceIncludeTypes,
} from '../routes/route.ts';
import type { Inclusions, ResourceSchema } from '../schemas/resource-schema.ts';
import {
  agentPool,
  apply,
  configurationVersion,
  effectiveTagBinding,
  ingressAttributes,
  oauthClient,
  oauthToken,
  organization,
  plan,
  project,
  readme,
  run,
  sshKey,
  stateVersion,
  tag,
  tagBinding,
  team,
  user,
  variable,
  workspace,
  workspaceOutput,
} from './resources.ts';

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
