import { Failure } from '../failure.ts';

/** A variable in force, with its value. */
export interface ValuedVariable {
  readonly category: string;
  readonly key: string;
  readonly value: string;
}

/** Returns the name under which a program finds a variable in its environment. */
export const environmentName = ({ category, key }: Omit<ValuedVariable, 'value'>): string =>
  category === 'env' ? key : `TF_VAR_${key}`;

/**
 * Returns the environment of a program: that of the caller, in which variables replace those with their names.
 * @throws Failure `rejected` for a name or a value that no environment can have.
 */
export const toEnvironment = (
  caller: Readonly<Record<string, string | undefined>>,
  variables: readonly ValuedVariable[],
): Readonly<Record<string, string | undefined>> => {
  const environment = { ...caller };
  // Inputs of the tool follow: they replace a variable of the environment with the same name, as a .tfvars file does.
  const isEnvironment = ({ category }: ValuedVariable): boolean => category === 'env';
  for (const variable of [
    ...variables.filter(isEnvironment),
    ...variables.filter((variable) => !isEnvironment(variable)),
  ]) {
    const name = environmentName(variable);
    if (/[=\0]/.test(name) || variable.value.includes('\0')) {
      throw new Failure(
        'rejected',
        `${variable.key} cannot be in an environment: its key or value has a character that is not allowed.`,
      );
    }
    environment[name] = variable.value;
  }
  return environment;
};
