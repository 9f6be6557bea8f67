import type { VariableName, VariableVersions } from '../../changes/change-records.ts';
import { absent, all, below, exists } from '../../changes/conditions.ts';
import { DomainError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Draft, isSameValue, isSensitive, type Variable } from '../../workspace/variable.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Step, type Transition } from '../transition.ts';

/**
 * Changes of a workspace that belong to the change of one of its variables. The store writes the items of the variable in
 * the same transaction.
 */

const referenceOf = (content: Draft['content']): string | undefined =>
  'reference' in content ? content.reference : undefined;

/** Returns the wire names of the attributes in which two states of a variable differ. */
export const changedAttributes = (from: Variable, to: Draft): string[] => [
  ...(['category', 'key', 'description', 'hcl'] as const).filter((name) => from[name] !== to[name]),
  ...(isSameValue(from.content, to.content) ? [] : ['value']),
  ...(referenceOf(from.content) === referenceOf(to.content) ? [] : ['value-reference']),
  ...(isSensitive(to) && !isSensitive(from) ? ['sensitive'] : []),
];

/**
 * Tells whether the last change of a workspace or variable set is the change of this variable by this request: by an earlier
 * attempt of it (HTTP-38).
 * @param variable id of the variable.
 */
export const isChangedBy = (
  { id }: Pick<RequestContext, 'id'>,
  change: { readonly request: string; readonly variable?: VariableName },
  variable: string,
): boolean => change.request === id && change.variable?.id === variable;

const changeVariable = (
  kind: 'created' | 'updated' | 'deleted' | 'verified',
  request: RequestContext,
  { id: variable, category, key }: Pick<Variable, 'id' | 'category' | 'key'>,
  versions: VariableVersions | undefined,
  planStep: (image: Workspace) => Pick<Step, 'condition' | 'change' | 'keys' | 'matches'>,
): Transition => ({
  type: `workspace.variable-${kind}`,
  plan: (image) => {
    const { condition, ...rest } = planStep(requireAlive(image));
    const details = { variable: { id: variable, category, key }, ...(versions && { versions }) };
    return { ...rest, condition: all(ALIVE, condition), ...details };
  },
  applied: ({ change }) => isChangedBy(request, change, variable) && change.type === `workspace.variable-${kind}`,
});

/**
 * Counts a new variable. The count is exact because one transaction writes it together with the variable. `plan` throws
 * a 422 error if the workspace has the maximum number of variables (LIMIT-2).
 */
export const variableCreated = (request: RequestContext, variable: Variable): Transition =>
  changeVariable('created', request, variable, { new: variable.version }, ({ variableCount }) => {
    if (variableCount === undefined) {
      return { condition: absent('variableCount'), change: { set: { hasVariables: true, variableCount: 1 } } };
    }
    if (variableCount >= limits.variables) {
      throw new DomainError('unprocessable', `A workspace can have at most ${limits.variables} variables.`);
    }
    return { condition: below('variableCount', limits.variables), change: { add: { variableCount: 1 } } };
  });

/** Records the change of a variable. */
export const variableUpdated = (request: RequestContext, from: Variable, to: Draft): Transition =>
  changeVariable('updated', request, to, { old: from.version, new: to.version }, () => ({
    condition: all(),
    change: {},
    keys: changedAttributes(from, to),
  }));

/** Counts a deleted variable. */
export const variableDeleted = (request: RequestContext, variable: Variable): Transition =>
  changeVariable('deleted', request, variable, { old: variable.version }, () => ({
    condition: exists('variableCount'),
    change: { add: { variableCount: -1 } },
  }));

/** Records that a value was verified against a variable (VAR-16). The workspace itself does not change. */
export const variableVerified = (
  request: RequestContext,
  variable: Pick<Variable, 'id' | 'category' | 'key'>,
  matches: boolean,
): Transition =>
  changeVariable('verified', request, variable, undefined, () => ({ condition: all(), change: {}, matches }));
