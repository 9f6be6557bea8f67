import type { Variable } from '../workspace/variable.ts';
import type { Workspace } from '../workspace/workspace-record.ts';
import { type VariableSet, variableKey } from './variable-set.ts';

type Applicable = Pick<VariableSet, 'id' | 'name' | 'global' | 'priority' | 'project' | 'workspaces' | 'projects'>;

/** The workspace for which the variables in force are computed. */
type Subject = Pick<Workspace, 'id' | 'project'>;

/** Scope in which a variable set applies to a workspace, from the most specific to the least. */
type Scope = 'workspace' | 'project' | 'global';

/** Rank of workspace variables: below priority variable sets, above all other variable sets. */
const OWN = 0;

/**
 * Ranks of variable sets by scope and owner (VARSET-11). A lower rank overrides a higher one, and negative ranks override
 * the variables of the workspace itself. Without priority, the specific scope wins, and a project wins over the
 * organization. With priority, it is the other way around, so that an organization can enforce a value.
 */
const ranks: Readonly<Record<Scope, { readonly project: number; readonly organization: number }>> = {
  workspace: { project: 1, organization: 2 },
  project: { project: 3, organization: 4 },
  global: { project: 5, organization: 5 },
};

const rankOf = ({ priority, project }: Applicable, scope: Scope): number => {
  const rank = ranks[scope][project === undefined ? 'organization' : 'project'];
  return priority ? -rank : rank;
};

/** Returns the scopes in which a variable set applies to a workspace. A project's set applies only inside the project. */
const scopesOf = ({ global, project, workspaces, projects }: Applicable, workspace: Subject): readonly Scope[] => {
  if (global) return ['global'];
  if (project !== undefined && project !== workspace.project) return [];
  return [
    ...(workspaces.includes(workspace.id) ? (['workspace'] as const) : []),
    ...(projects.includes(workspace.project) ? (['project'] as const) : []),
  ];
};

/** Returns whether a variable set applies to a workspace (VARSET-6). */
export const appliesTo = (variableSet: Applicable, workspace: Subject): boolean =>
  scopesOf(variableSet, workspace).length > 0;

/** Compares texts by their Unicode code points. */
const compareCodePoints = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The variables of a variable set that applies to a workspace. */
export interface SetVariables<S extends Applicable = VariableSet> {
  readonly variableSet: S;
  readonly variables: readonly Variable[];
}

/** A variable in force, with its variable set; undefined for a variable of the workspace itself. */
export interface VariableInForce<S extends Applicable = VariableSet> {
  readonly variable: Variable;
  readonly variableSet?: S | undefined;
}

/**
 * Selects the variables that are in force for a workspace, one for each category and key (VARSET-11).
 * @param own variables of the workspace itself.
 * @param sets variable sets that apply to the workspace, with their variables.
 * @returns the variables in the order of category and key.
 */
export const variablesInForce = <S extends Applicable>(
  workspace: Subject,
  own: readonly Variable[],
  sets: readonly SetVariables<S>[],
): readonly VariableInForce<S>[] => {
  const ranked = sets.map(({ variableSet, variables }) => ({
    variableSet,
    variables,
    rank: Math.min(...scopesOf(variableSet, workspace).map((scope) => rankOf(variableSet, scope))),
  }));
  const sources = [...ranked, { variableSet: undefined, variables: own, rank: OWN }].sort(
    (one, other) =>
      one.rank - other.rank || compareCodePoints(one.variableSet?.name ?? '', other.variableSet?.name ?? ''),
  );
  const inForce = new Map<string, VariableInForce<S>>();
  for (const { variableSet, variables } of sources) {
    for (const variable of variables) {
      const key = variableKey(variable);
      if (!inForce.has(key)) inForce.set(key, { variable, variableSet });
    }
  }
  return [...inForce].sort(([one], [other]) => compareCodePoints(one, other)).map(([, variable]) => variable);
};
