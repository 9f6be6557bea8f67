import { type VariableSetContext, variableSetPermissions } from '../../access/variable-set-policy.ts';
import type { VariableSet } from '../../domain/variable-sets/variable-set.ts';
import { REVISED, type Resource, toMany, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** A variable set as one caller sees it: with the workspaces and projects that the caller may read. */
interface VariableSetView extends VariableSetContext {
  readonly variableSet: VariableSet;
}

/** Builds the resource of a variable set (VARSET-1). */
export const variableSetResource = ({ variableSet, ...context }: VariableSetView): Resource => {
  const { id, organization, project, name, description, global, priority } = variableSet;
  const { workspaces, projects, variables, createdAt, updatedAt } = variableSet;
  return {
    id,
    [REVISED]: variableSet,
    type: 'varsets',
    attributes: {
      name,
      description,
      global,
      priority,
      'created-at': timestamp(createdAt),
      'updated-at': timestamp(updatedAt),
      'var-count': variables.length,
      'workspace-count': workspaces.length,
      'project-count': projects.length,
      permissions: variableSetPermissions(context),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', organization),
      parent: project === undefined ? toOne('organizations', organization) : toOne('projects', project),
      workspaces: toMany('workspaces', workspaces),
      projects: toMany('projects', projects),
      vars: toMany('vars', variables),
    },
    links: { self: `${BASE_PATH}/varsets/${id}` },
  };
};
