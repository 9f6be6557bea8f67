import type { DocumentOf, Variable, VariableSet } from './types.ts';

/** A definition of a variable: by the workspace, or by a variable set that applies to it. */
export interface VariableRow {
  readonly variable: Variable;
  /** The variable set; undefined for a variable of the workspace itself. */
  readonly variableSet: VariableSet | undefined;
  readonly isInForce: boolean;
}

type Variables = Pick<DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/vars'>, 'data'>;
type InForce = Pick<DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/all-vars'>, 'data'>;
type Sets = Pick<DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/varsets'>, 'data' | 'included'>;

/**
 * Lists every definition of every variable of a workspace, by category and key. The one in force comes first
 * (VARSET-11); the others are overridden by it.
 */
export const toVariableRows = (own: Variables, inForce: InForce, sets: Sets): readonly VariableRow[] => {
  const winners = new Set(inForce.data.map(({ id }) => id));
  const setVariables = new Map(
    (sets.included ?? []).flatMap((resource) => (resource.type === 'vars' ? [[resource.id, resource]] : [])),
  );
  const fromSets = sets.data.flatMap((variableSet) =>
    variableSet.relationships.vars.data.flatMap(({ id }) => {
      const variable = setVariables.get(id);
      return variable === undefined ? [] : [{ variable, variableSet, isInForce: winners.has(id) }];
    }),
  );
  const fromWorkspace = own.data.map((variable) => ({
    variable,
    variableSet: undefined,
    isInForce: winners.has(variable.id),
  }));
  const place = ({ variable, isInForce }: VariableRow): string =>
    `${variable.attributes.key}\u0000${variable.attributes.category}\u0000${isInForce ? 0 : 1}`;
  return [...fromWorkspace, ...fromSets].sort((a, b) => (place(a) < place(b) ? -1 : 1));
};

/** Finds the other definitions of the same variable. */
export const findOthers = (rows: readonly VariableRow[], row: VariableRow): readonly VariableRow[] => {
  const { key, category } = row.variable.attributes;
  return rows.filter(
    // A row is another object after the lists were loaded again.
    ({ variable: { id, attributes } }) =>
      id !== row.variable.id && attributes.key === key && attributes.category === category,
  );
};

/** Finds the definition that is in force in place of another one. */
export const findWinner = (rows: readonly VariableRow[], row: VariableRow): VariableRow | undefined =>
  findOthers(rows, row).find(({ isInForce }) => isInForce);
