import { DomainError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type VariableName, variableKey } from './variable-set.ts';

/** The global variable sets of an organization, and which of them has which variable. */
export interface GlobalVariables {
  /** Ids of the global variable sets. */
  readonly sets: readonly string[];
  /** Id of the variable set by the category and key of its variable, as in `variableKey`. */
  readonly keys: Readonly<Record<string, string>>;
  /** Number of changes; 0 if the organization has never had a global variable set. */
  readonly revision: number;
}

/** Thrown if another global variable set has the key of a variable (VARSET-9). The store looks up its name. */
export class GlobalKeyTaken extends Error {
  override readonly name = 'GlobalKeyTaken';
  /** Id of the other variable set. */
  readonly set: string;
  /**
   * Creates the error from the name of the other variable set. The name is no secret: a caller who may change global variable
   * sets may read all of them.
   */
  readonly explain: (name: string) => DomainError;

  constructor(set: string, explain: GlobalKeyTaken['explain']) {
    super('Another global variable set has the key');
    this.set = set;
    this.explain = explain;
  }
}

/**
 * Adds variables of a variable set to the global variables of its organization. No other set may have one of the keys.
 * @param explain creates the error from the key and the name of the other variable set.
 * @throws GlobalKeyTaken if another global variable set has one of the keys; DomainError 422 if there would be too many.
 */
export const addGlobalVariables = (
  { sets, keys, revision }: GlobalVariables,
  id: string,
  added: readonly VariableName[],
  explain: (key: string, other: string) => DomainError,
): GlobalVariables => {
  for (const variable of added) {
    const set = keys[variableKey(variable)];
    if (set !== undefined && set !== id) throw new GlobalKeyTaken(set, (name) => explain(variable.key, name));
  }
  const all = { ...keys, ...Object.fromEntries(added.map((variable) => [variableKey(variable), id])) };
  if (Object.keys(all).length > limits.globalVariables) {
    throw new DomainError(
      'unprocessable',
      `The global variable sets of an organization can have at most ${limits.globalVariables} variables.`,
    );
  }
  return { sets: sets.includes(id) ? sets : [...sets, id], keys: all, revision };
};

/** Removes a variable set that is no longer global, or one of its variables, from the global variables. */
export const removeGlobalVariables = (
  { sets, keys, revision }: GlobalVariables,
  id: string,
  variable?: VariableName,
): GlobalVariables => {
  const isRemoved = ([key, owner]: [string, string]): boolean =>
    owner === id && (variable === undefined || key === variableKey(variable));
  return {
    sets: variable === undefined ? sets.filter((one) => one !== id) : sets,
    keys: Object.fromEntries(Object.entries(keys).filter((entry) => !isRemoved(entry))),
    revision,
  };
};
