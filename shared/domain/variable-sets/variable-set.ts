import type { VariableSetChange } from '../changes/change-records.ts';
import { DomainError, invalid, invalidRelationship } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Variable } from '../workspace/variable.ts';

/** The kinds of things that a variable set can be assigned to, by the names of its relationships. */
export type AssignmentTarget = 'workspaces' | 'projects';

/** Attributes of a variable set that requests set (VARSET-1). */
export interface VariableSetSettings {
  readonly name: string;
  readonly description: string;
  /** Whether the variables apply to all workspaces of the organization. */
  readonly global: boolean;
  /** Whether the variables override the variables of workspaces and of more specific variable sets. */
  readonly priority: boolean;
}

/** A variable set (VARSET-1). Times are milliseconds since the epoch. */
export interface VariableSet extends VariableSetSettings {
  readonly id: string;
  readonly organization: string;
  /** Id of the project that owns the variable set; undefined if the organization owns it. */
  readonly project?: string | undefined;
  /** Ids of the workspaces to which the variable set is assigned. They do not count while it is global. */
  readonly workspaces: readonly string[];
  /** Ids of the projects to which the variable set is assigned. They do not count while it is global. */
  readonly projects: readonly string[];
  /** Ids of its variables. */
  readonly variables: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Set anew by every change of its settings and assignments; absent if they have never changed. */
  readonly revision?: string | undefined;
  /** Number of changes, which is also the number of the last event. */
  readonly sequence: number;
  readonly change: VariableSetChange;
  /** Time of the deletion. A variable set that has it is a tombstone. */
  readonly deletedAt?: number | undefined;
}

/** Category and key of a variable, which are unique in its variable set. */
export type VariableName = Pick<Variable, 'category' | 'key'>;

/** Builds the text that identifies a variable among those with which it must not conflict. */
export const variableKey = ({ category, key }: VariableName): string => `${category}#${key}`;

/** Checks that the settings fit together: a project cannot own a global variable set (VARSET-2). */
export const checkOwner = ({ global, project }: Pick<VariableSet, 'global' | 'project'>): void => {
  if (global && project !== undefined)
    throw invalid('global', 'Global cannot be true for a variable set that a project owns');
};

/** Creates the error for the assignment of a global variable set (VARSET-5). */
export const assignedWhileGlobal = (source: { readonly pointer: string }): DomainError =>
  new DomainError('unprocessable', 'A global variable set applies to every workspace and cannot be assigned.', {
    source,
  });

/** @throws DomainError 422 if a variable set would be assigned to more workspaces or projects than the maximum. */
export const checkAssignmentCount = (target: AssignmentTarget, count: number): void => {
  if (count <= limits.variableSetAssignments) return;
  throw invalidRelationship(
    target,
    `A variable set can be assigned to at most ${limits.variableSetAssignments} ${target}.`,
  );
};

/** @throws DomainError 422 if a variable set has the maximum number of variables. */
export const checkVariableCount = ({ variables }: Pick<VariableSet, 'variables'>): void => {
  if (variables.length < limits.variablesOfSet) return;
  throw new DomainError('unprocessable', `A variable set can have at most ${limits.variablesOfSet} variables.`);
};
