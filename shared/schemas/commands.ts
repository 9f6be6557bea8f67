import type { TObject } from 'typebox';
import { DomainError } from '../domain/errors.ts';
import { commandName } from './command-name.ts';
import { type Complaint, findComplaint, type Validator } from './error-messages.ts';

/** Table of the commands of a function: descriptions, and parameters as JSON Schema. */
export type CommandTable = Readonly<Record<string, { readonly description: string; readonly parameters: TObject }>>;

/** Part of the schema of a parameter that help shows. */
export interface Property {
  readonly description: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
}

/** A command in the form in which the build compiles a table. */
export interface CompiledCommand {
  readonly description: string;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
  readonly validators: Readonly<Record<string, Validator>>;
}

/** Words of a function for its callers. */
interface Options {
  /** Invocation of the function, for the help. */
  readonly usage: string;
  /** Creates the error of an unknown command, or of a missing one. */
  readonly unknown: (given: unknown, names: readonly string[]) => DomainError;
  /**
   * Creates the error of the first problem of the parameters.
   * @param complaint its pointer names the parameter, unless the parameter is missing or unknown.
   */
  readonly invalid: (complaint: Complaint, command: CompiledCommand, given: object) => DomainError;
  /** Whether a command line sends every value as text. The texts `true` and `false` are then accepted as booleans. */
  readonly isText?: boolean;
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Finds the first problem of the parameters of a command; undefined if there is none. */
const findProblem = (
  { required, properties, validators }: CompiledCommand,
  parameters: Readonly<Record<string, unknown>>,
): Complaint | undefined => {
  const missing = required.find((name) => !Object.hasOwn(parameters, name));
  if (missing !== undefined) return { instancePath: '', keyword: 'required', params: { missingProperty: missing } };
  const unknown = Object.keys(parameters).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    return { instancePath: '', keyword: 'additionalProperties', params: { additionalProperty: unknown } };
  for (const [name, validate] of Object.entries(validators)) {
    const complaint = Object.hasOwn(parameters, name) ? findComplaint(validate, parameters[name]) : undefined;
    if (complaint !== undefined) return { ...complaint, instancePath: `/${name}${complaint.instancePath}` };
  }
  return undefined;
};

const helpOf = ({ description: does, required, properties }: CompiledCommand) => ({
  does,
  parameters: Object.fromEntries(
    Object.entries(properties).map(([name, { description, enum: values = [] }]) => {
      const choices = values.filter((value) => typeof value === 'string' && value !== '') as string[];
      return [
        required.includes(name) ? name : `${name}?`,
        choices.every((choice) => description.includes(choice)) ? description : `${description}: ${choices.join(', ')}`,
      ];
    }),
  ),
});

const convertBooleans = ({ properties }: CompiledCommand, given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) && properties[name]?.type === 'boolean' && typeof value === 'string'
        ? (booleans[value] ?? value)
        : value,
    ]),
  );

/** Opens the commands of a function, as the build compiles them. */
export const openCommands = <K extends string>(
  commands: Readonly<Record<K, CompiledCommand>>,
  { usage, unknown, invalid, isText = false }: Options,
) => {
  const keys = new Map((Object.keys(commands) as K[]).map((key) => [commandName(key), key]));
  const names = [...keys.keys()];

  return {
    /**
     * Reads and validates a command.
     * @throws DomainError 400 for an unknown command, 422 for a missing, unknown or invalid parameter.
     */
    read: (event: unknown): { readonly key: K; readonly parameters: Readonly<Record<string, unknown>> } => {
      const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
      const { command, ...given } = (isObject ? event : {}) as Record<string, unknown>;
      const key = typeof command === 'string' ? keys.get(command) : undefined;
      if (key === undefined) throw unknown(command, names);
      const parameters = isText ? convertBooleans(commands[key], given) : given;
      const problem = findProblem(commands[key], parameters);
      if (problem !== undefined) throw invalid(problem, commands[key], parameters);
      return { key, parameters };
    },
    /**
     * Lists every command, or only the command `of`, with its description and parameters; `?` marks optional parameters.
     * @throws DomainError 422 when there is no command `of`.
     */
    help: ({ of }: { readonly of?: string }) => {
      if (of !== undefined && !keys.has(of)) {
        const detail = `There is no command ${of}; use one of: ${names.join(', ')}`;
        throw new DomainError('invalid-attribute', detail, { source: { pointer: '/of' } });
      }
      const shown = [...keys].filter(([name]) => of === undefined || name === of);
      return { usage, commands: Object.fromEntries(shown.map(([name, key]) => [name, helpOf(commands[key])])) };
    },
  };
};
