import { equals } from '../../changes/conditions.ts';
import { type DomainError, invalid, notFound } from '../../errors.ts';
import { changedAttributes } from '../../transitions/relationships/change-variables.ts';
import { keyTaken, type Variable, VariableChanged } from '../../workspace/variable.ts';
import { addGlobalVariables, type GlobalVariables, removeGlobalVariables } from '../global-variables.ts';
import { checkVariableCount, type VariableSet } from '../variable-set.ts';
import { type Attempt, done, type Plan, planStep, requireVariableSet } from './plan.ts';

/** Changes of the variables of a variable set (VARSET-8). Each is written together with the variable set. */

/** State of a variable that the store reads after an attempt whose outcome is unknown. */
export interface StoredVariable {
  /** Absent if the variable does not exist, or was deleted. */
  readonly variable?: Variable | undefined;
  /** Id of the request that deleted it. */
  readonly deletedBy?: string | undefined;
}

/** Creates the error for a key that a variable of another global variable set has (VARSET-9). */
const keyIsGlobal = (_: string, other: string): DomainError =>
  invalid('key', `Key is already used in another global variable set: ${other}`);

const nameOf = ({ id, category, key }: Variable) => ({ id, category, key });

/**
 * Plans the creation of a variable.
 * @param globals global variables of the organization, if the variable set is global.
 * @param stored the variable, if the request is repeated.
 */
export const createSetVariable = (
  attempt: Attempt,
  read: VariableSet | undefined,
  variable: Variable,
  globals: GlobalVariables | undefined,
  stored: StoredVariable | undefined,
): Plan => {
  const image = requireVariableSet(read);
  // An earlier attempt created it, and its response was lost.
  if (stored?.variable !== undefined) return done(image);
  // An earlier attempt of the request created it, and somebody deleted it.
  if (stored?.deletedBy !== undefined && attempt.request.attempt === 'resumed') throw notFound();
  checkVariableCount(image);
  return planStep(attempt, image, {
    type: 'variable-set.variable-created',
    details: { variable: nameOf(variable), versions: { new: variable.version } },
    condition: equals('global', image.global),
    change: { variables: [...image.variables, variable.id] },
    effects: [{ kind: 'create-variable', variable, rejection: keyTaken }],
    globals: globals && addGlobalVariables(globals, image.id, [variable], keyIsGlobal),
  });
};

/**
 * Plans to replace a variable, under the same key or another.
 * @param globals global variables of the organization, if the variable set is global and the key changes.
 * @param stored the variable, if the request is repeated.
 * @throws VariableChanged if another request changed the variable.
 */
export const updateSetVariable = (
  attempt: Attempt,
  read: VariableSet | undefined,
  [from, to]: readonly [from: Variable, to: Variable],
  globals: GlobalVariables | undefined,
  stored: StoredVariable | undefined,
): Plan => {
  const image = requireVariableSet(read);
  const { request } = attempt;
  // An earlier attempt changed it, and its response was lost.
  if (request.attempt === 'resumed' && image.change.request === request.id) return done(image);
  if (stored?.variable?.version === to.version) return done(image);
  if (stored && stored.variable?.version !== from.version) throw new VariableChanged();
  const { id } = image;
  return planStep(attempt, image, {
    type: 'variable-set.variable-updated',
    details: {
      keys: changedAttributes(from, to),
      variable: nameOf(to),
      versions: { old: from.version, new: to.version },
    },
    condition: equals('global', image.global),
    effects: [{ kind: 'change-variable', from, to, ...(from.key !== to.key && { rejection: keyTaken }) }],
    globals: globals && addGlobalVariables(removeGlobalVariables(globals, id, from), id, [to], keyIsGlobal),
  });
};

/**
 * Plans the deletion of a variable.
 * @param globals global variables of the organization, if the variable set is global.
 * @param stored the variable, if the request is repeated.
 * @throws VariableChanged if another request changed the variable.
 */
export const deleteSetVariable = (
  attempt: Attempt,
  read: VariableSet | undefined,
  variable: Variable,
  globals: GlobalVariables | undefined,
  stored: StoredVariable | undefined,
): Plan => {
  const image = requireVariableSet(read);
  // An earlier attempt deleted it, and its response was lost.
  if (stored?.deletedBy === attempt.request.id) return done(image);
  if (stored && stored.variable?.version !== variable.version) throw new VariableChanged();
  return planStep(attempt, image, {
    type: 'variable-set.variable-deleted',
    details: { variable: nameOf(variable), versions: { old: variable.version } },
    condition: equals('global', image.global),
    change: { variables: image.variables.filter((id) => id !== variable.id) },
    effects: [{ kind: 'delete-variable', variable }],
    globals: globals && removeGlobalVariables(globals, image.id, variable),
  });
};

/** Plans the record that a value was verified against a variable, and whether it matched (VAR-16). */
export const recordVerification = (
  attempt: Attempt,
  read: VariableSet | undefined,
  variable: Variable,
  matches: boolean,
): Plan =>
  planStep(attempt, requireVariableSet(read), {
    type: 'variable-set.variable-verified',
    details: { variable: nameOf(variable), matches },
  });
