import { type ChangeRecordBase, changeRecordBase, type RequestContext } from './change-context.ts';
import type { VariableName, VariableVersions } from './change-records.ts';

/** Types of changes of a variable set. Each is published as an event with a schema of its own (EVENT-1). */
export const variableSetChangeTypes = [
  'variable-set.created',
  'variable-set.updated',
  'variable-set.deleted',
  'variable-set.assignments-changed',
  'variable-set.variable-created',
  'variable-set.variable-updated',
  'variable-set.variable-deleted',
  'variable-set.variable-verified',
] as const;
export type VariableSetChangeType = (typeof variableSetChangeTypes)[number];

/** Ids of workspaces or projects that one write adds to the assignments of a variable set, or removes from them. */
export interface AssignmentsChange {
  readonly target: 'workspaces' | 'projects';
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Details of a change that the variable set itself does not show afterwards. They never contain a value. */
export interface VariableSetDetails {
  /** Names of the changed attributes, as on the wire. */
  readonly keys?: readonly string[];
  /** The variable that changed, or whose value was verified. */
  readonly variable?: VariableName;
  /** Versions of the variable before and after the change, by which the history finds their values. */
  readonly versions?: VariableVersions;
  /** Whether a verified value was the value of the variable (VAR-16). */
  readonly matches?: boolean;
  readonly assignments?: AssignmentsChange;
}

/** The last change of a variable set: its type, time, actor and request, and its details. */
export interface VariableSetChange extends ChangeRecordBase<VariableSetChangeType>, VariableSetDetails {}

/**
 * Creates the change record that a write leaves on a variable set.
 * @param id unique id of the change; also the id of its event.
 * @param at time of the change, in milliseconds.
 */
export const recordVariableSetChange = (
  id: string,
  type: VariableSetChangeType,
  request: RequestContext,
  at: number,
  details: VariableSetDetails = {},
): VariableSetChange => ({ ...changeRecordBase(id, type, request, at), ...details });
