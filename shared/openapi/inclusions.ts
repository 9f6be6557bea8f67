import { agentPoolIncludeTypes, oauthClientIncludeTypes, workspaceIncludeTypes } from '../routes/route.ts';
import type { Inclusions, ResourceSchema } from '../schemas/resource-schema.ts';
import * as resources from './resources.ts';

const all = Object.values<ResourceSchema | readonly ResourceSchema[]>(resources).flat();
/** Schemas of resources by type. Of the two with the type `vars`, workspaces include their own variables. */
const schemas = new Map([...all, resources.variable].map((schema) => [schema.type, schema]));

/** @throws Error for a type without a schema. */
const findSchema = (type: string): ResourceSchema => {
  const schema = schemas.get(type);
  if (schema === undefined) throw new Error(`Add the schema of ${type} to shared/openapi/resources.ts`);
  return schema;
};

const inclusionsOf = <I extends string>(types: Readonly<Record<I, readonly string[]>>) =>
  Object.fromEntries(
    Object.entries<readonly string[]>(types).map(([name, included]) => [name, included.map(findSchema)]),
  ) as unknown as Inclusions<I>;

/** The schemas of the resources that each value of `include` on workspaces adds. */
export const workspaceInclusions = inclusionsOf(workspaceIncludeTypes);

/** The schemas of the resources that each value of `include` on agent pools adds. */
export const agentPoolInclusions = inclusionsOf(agentPoolIncludeTypes);

/** The schemas of the resources that each value of `include` on VCS connections adds. */
export const oauthClientInclusions = inclusionsOf(oauthClientIncludeTypes);
