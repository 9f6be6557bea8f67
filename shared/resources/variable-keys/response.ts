import type { Variable, VariableOwner } from '../../domain/workspace/variable.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of a variable that is found by its key. @param ownerName name of its workspace or variable set. */
export const variableKeyResource = (
  { id, key, category, workspace, variableSet }: VariableOwner & Pick<Variable, 'id' | 'key' | 'category'>,
  ownerName: string,
): Resource => ({
  id,
  type: 'variable-keys',
  attributes: { key, category, 'owner-name': ownerName } satisfies ComputedValues<typeof attributes>,
  relationships: { workspace: toOne('workspaces', workspace), varset: toOne('varsets', variableSet) },
});
