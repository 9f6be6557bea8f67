import type { Variable, Workspace } from '../../../shared/client/types.ts';
import type { VariableRow } from '../../../shared/client/variable-rows.ts';
import { listOwnVariables, type VariableOwner } from '../../../shared/client/variables.ts';
import { type Api, readAllPages } from '../api.ts';
import { usageError } from '../failure.ts';
import { attributesOf, defineView, type Row } from '../output/view.ts';
import { choice } from '../parameters.ts';

const attributes = attributesOf<Variable>()(
  'key',
  'value',
  'value-reference',
  'description',
  'sensitive',
  'category',
  'hcl',
  'created-at',
  'version-id',
);

/** The fields of a variable. The value of a sensitive variable is null. */
export const variableView = defineView(['key', 'category', 'value', 'sensitive', 'description'], ['id', ...attributes]);

/** The fields of a variable and its origin: `workspace`, or the name of a variable set. */
export const originView = defineView(
  ['key', 'category', 'value', 'sensitive', 'origin', 'overrides'],
  ['id', 'varset-id', ...attributes],
);

/** The fields of a value that a variable has for a workspace, and of what decides whether it is in force. */
export const candidateView = defineView(
  ['origin', 'in-force', 'value', 'sensitive', 'category', 'scope', 'priority'],
  ['id', 'varset-id', ...attributes],
);

/** The fields of a changed variable. `change` is `created`, `changed` or `deleted`. */
export const changeView = defineView(['key', 'category', 'change'], ['id', ...attributes]);

/** Converts a variable to a row. */
export const toVariableRow = ({ id, attributes: values }: Variable): Row => ({ id, ...values });

const originOf = ({ variableSet }: VariableRow): string => variableSet?.attributes.name ?? 'workspace';

/** Converts a variable to a row with its origin. @param overridden values that it overrides. */
export const toOriginRow = (row: VariableRow, overridden: readonly VariableRow[] | undefined): Row => ({
  ...toVariableRow(row.variable),
  origin: originOf(row),
  'varset-id': row.variableSet?.id ?? null,
  overrides: overridden?.map(originOf) ?? null,
});

/** Returns the place by which a variable set applies to a workspace (VARSET-11). */
const scopeOf = ({ variableSet }: VariableRow, { id, relationships: { project } }: Workspace): string => {
  if (variableSet === undefined) return 'workspace';
  const { attributes: set, relationships } = variableSet;
  if (set.global) return 'global';
  const isOfWorkspace = relationships.workspaces.data.some((one) => one.id === id);
  const isOfProject = relationships.projects.data.some((one) => one.id === project.data.id);
  // With priority, the more general place counts.
  return isOfWorkspace && !(set.priority && isOfProject) ? 'workspace' : 'project';
};

/** Converts a value that a variable has for a workspace to a row. */
export const toCandidateRow = (row: VariableRow, workspace: Workspace): Row => ({
  ...toOriginRow(row, undefined),
  'in-force': row.isInForce,
  scope: scopeOf(row, workspace),
  priority: row.variableSet?.attributes.priority ?? false,
});

/** Returns whether two names are of the same category: `terraform` is another name of `infra` (VAR-1). */
export const isSameCategory = (one: string, other: string): boolean => (one === 'env') === (other === 'env');

/** Returns a text that is equal for variables that override each other. */
export const identityOf = ({ category, key }: { readonly category: string; readonly key: string }): string =>
  `${category === 'env' ? 'env' : 'infra'} ${key}`;

/** The flag that distinguishes variables with the same key. */
export const categoryFlag = choice(
  'Category. A key can be used once in each. terraform is another name of infra.',
  ['env', 'infra', 'terraform'],
  'CATEGORY',
);

/**
 * Selects the variable with a key.
 * @returns undefined if there is none.
 * @throws Failure `usage` if both categories have the key and none is named.
 */
export const selectVariable = (
  variables: readonly Variable[],
  key: string,
  category: string | undefined,
): Variable | undefined => {
  const found = variables.filter(
    ({ attributes: { key: one, category: other } }) =>
      one === key && (category === undefined || isSameCategory(category, other)),
  );
  if (found.length > 1) {
    const names = found.map((variable) => variable.attributes.category).join(' and ');
    throw usageError(`${key} exists in the categories ${names}.`, 'Add --category.');
  }
  return found[0];
};

/** Reads all variables of a workspace or a variable set. @param send as that of `readPages`. */
export const readVariables = async (send: Api['send'], owner: VariableOwner): Promise<readonly Variable[]> =>
  (await readAllPages(send, (page) => listOwnVariables(owner, page))).flatMap(
    ({ data }) => data as readonly Variable[],
  );
