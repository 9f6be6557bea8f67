import { createChangeRecord, type RequestContext } from '../../changes/change-context.ts';
import type { VariableSetChange, VariableSetChangeType, VariableSetDetails } from '../../changes/change-records.ts';
import { absent, all, type Condition, exists } from '../../changes/conditions.ts';
import { type DomainError, notFound } from '../../errors.ts';
import type { Variable } from '../../workspace/variable.ts';
import type { GlobalVariables } from '../global-variables.ts';
import type { AssignmentTarget, VariableSet } from '../variable-set.ts';

/**
 * Changes of variable sets as values (STORE-26). A transition is a function of what the store has read, and of the attempt.
 * It rejects the change with a `DomainError`, or returns a plan: the variable set as it will be, and conditional writes. The
 * store writes them in one transaction. If a condition fails without a rejection, it reads and plans again.
 */

/** An attempt of a request to change a variable set. */
export interface Attempt {
  readonly request: RequestContext;
  /** Time in milliseconds. */
  readonly at: number;
  /** Whether the outcome of an earlier attempt is unknown. */
  readonly isInDoubt: boolean;
  /** Revision that the change gives to the variable set. It is the same in every attempt. */
  readonly revision: string;
  /** Id of the change record. */
  readonly changeId: string;
}

/** The writes of a change. Without effects, nothing is left to change. */
export interface Plan {
  readonly effects: readonly Effect[];
  /** The variable set after the change. */
  readonly result: VariableSet;
  /** Whether the change needs more transactions after this one. */
  readonly isPartial?: boolean;
}

/** A conditional write on an item. */
export type Effect = (
  | { readonly kind: 'create' }
  | { readonly kind: 'change'; readonly before: VariableSet; readonly condition: Condition }
  | { readonly kind: 'require-organization' }
  | { readonly kind: 'take-name'; readonly name: string }
  | { readonly kind: 'give-up-name'; readonly name: string }
  | { readonly kind: 'join-project'; readonly project: string }
  | { readonly kind: 'leave-project'; readonly project: string }
  | { readonly kind: 'assign'; readonly target: AssignmentTarget; readonly id: string }
  | { readonly kind: 'unassign'; readonly target: AssignmentTarget; readonly id: string }
  | { readonly kind: 'create-variable'; readonly variable: Variable }
  | { readonly kind: 'delete-variable'; readonly variable: Variable }
  | { readonly kind: 'change-variable'; readonly from: Variable; readonly to: Variable }
  /** Fails if the global variables have changed since they were read. */
  | { readonly kind: 'replace-global-variables'; readonly to: GlobalVariables }
) & {
  /** Creates the error if what the effect needs is not there, or taken. By default, the change is planned again. */
  readonly rejection?: () => DomainError;
};

/** Condition that an item exists and is not deleted. */
const UNDELETED: Condition = all(exists('pk'), absent('deletedAt'));

/** Plan of a change that has nothing to do. */
export const done = (result: VariableSet): Plan => ({ effects: [], result });

/**
 * Returns the variable set.
 * @throws DomainError 404 if it does not exist or is deleted.
 */
export const requireVariableSet = (image: VariableSet | undefined): VariableSet => {
  if (image === undefined || image.deletedAt !== undefined) throw notFound();
  return image;
};

/** Creates the change record of an attempt. */
export const recordChange = (
  { changeId, request, at }: Attempt,
  type: VariableSetChangeType,
  details: VariableSetDetails = {},
): VariableSetChange => createChangeRecord(changeId, type, request, at, details);

/** One change of a variable set. */
interface Step {
  readonly type: VariableSetChangeType;
  readonly details?: VariableSetDetails;
  /** Condition besides `UNDELETED`. */
  readonly condition?: Condition;
  /** Attributes that change. */
  readonly change?: Partial<VariableSet>;
  readonly effects?: readonly Effect[];
  /** Global variables of the organization after the change, if it changes them. */
  readonly globals?: GlobalVariables | undefined;
}

/** Plans to replace the global variables of the organization; nothing if they do not change. */
export const replaceGlobals = (to: GlobalVariables | undefined): Effect[] =>
  to === undefined ? [] : [{ kind: 'replace-global-variables', to }];

/** Plans a step: the write of the variable set, which counts the change and leaves a change record, and other effects. */
export const planStep = (
  attempt: Attempt,
  before: VariableSet,
  { type, details, condition = all(), change, effects = [], globals }: Step,
): Plan => ({
  effects: [{ kind: 'change', before, condition: all(UNDELETED, condition) }, ...effects, ...replaceGlobals(globals)],
  result: {
    ...before,
    ...change,
    updatedAt: attempt.at,
    sequence: before.sequence + 1,
    change: recordChange(attempt, type, details),
  },
});
