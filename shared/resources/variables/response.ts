import { asRevised, isSensitive, type Variable } from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { REVISED, type Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Paths of the request: deprecated paths and their successors have different `self` links (VAR-12). */
export type VariablePaths = 'deprecated' | 'successor';

/** Builds the resource of a variable. The value of a sensitive variable is null: only its encrypted form is stored. */
export const variableResource = (
  variable: Variable,
  workspace: Pick<Workspace, 'id' | 'name' | 'organization'>,
  paths: VariablePaths = 'successor',
): Resource => {
  const { id } = variable;
  return {
    id,
    [REVISED]: asRevised(variable),
    type: 'vars',
    attributes: shownAttributes(variable),
    relationships: {
      configurable: {
        data: { type: 'workspaces', id: workspace.id },
        links: { related: `${BASE_PATH}/organizations/${workspace.organization}/workspaces/${workspace.name}` },
      },
    },
    links: {
      self: paths === 'deprecated' ? `${BASE_PATH}/vars/${id}` : `${BASE_PATH}/workspaces/${workspace.id}/vars/${id}`,
    },
  };
};

/** Builds the resource of a variable of a variable set (VARSET-8). */
export const setVariableResource = (variable: Variable, variableSet: string): Resource => {
  const related = `${BASE_PATH}/varsets/${variableSet}`;
  return {
    id: variable.id,
    [REVISED]: asRevised(variable),
    type: 'vars',
    attributes: shownAttributes(variable),
    relationships: { varset: { data: { type: 'varsets', id: variableSet }, links: { related } } },
    links: { self: `${related}/relationships/vars/${variable.id}` },
  };
};

/** Returns the attributes of a variable as responses show them. */
export const shownAttributes = ({
  key,
  category,
  content,
  description,
  hcl,
  createdAt,
  version,
}: Variable): ComputedValues<typeof attributes> => ({
  key,
  value: 'value' in content ? content.value : null,
  description,
  'value-reference': 'reference' in content ? content.reference : null,
  sensitive: isSensitive({ content }),
  category,
  hcl,
  'created-at': timestamp(createdAt),
  'version-id': version,
});

/** Builds the resource of a verification (VAR-16): whether a value matches the variable. */
export const verificationResource = ({ id }: Pick<Variable, 'id'>, matches: boolean): Resource => ({
  id,
  type: 'variable-verifications',
  attributes: { matches },
});
