import type { Principal, Service } from '../directory/records.ts';
import type { VariableName } from './change-records.ts';

/** Types of changes of a variable set. Each is published as an event with a schema of its own (EVENT-1). */
export const variableSetChangeTypes = [
  'variable-set.created',
  'variable-set.updated',
  'variable-set.deleted',
  'variable-set.assignments-changed',
  'variable-set.variable-created',
  'variable-set.variable-updated',
  'variable-set.variable-deleted',
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
  /** The variable that changed. */
  readonly variable?: VariableName;
  readonly assignments?: AssignmentsChange;
}

/** The last change of a variable set: its type, time, actor and request. */
export interface VariableSetChange extends VariableSetDetails {
  readonly id: string;
  readonly type: VariableSetChangeType;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly at: number;
  readonly request: string;
}

/**
 * Creates the change record that a write leaves on a variable set.
 * @param id unique id of the change; also the id of its event.
 * @param at time of the change, in milliseconds.
 */
export const recordVariableSetChange = (
  id: string,
  type: VariableSetChangeType,
  { id: request, principal }: { readonly id: string; readonly principal: Principal | Service },
  at: number,
  details: VariableSetDetails = {},
): VariableSetChange => ({
  id,
  type,
  actor: { kind: principal.kind, id: principal.id },
  at,
  request,
  ...details,
});
