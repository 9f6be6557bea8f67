import type { CommandKey, Description, Parameters } from '../../shared/schemas/admin-commands.ts';
import { commandName } from '../../shared/schemas/command-name.ts';
import { descriptions } from '../../shared/validators/compiled/commands.js';
import { invalidParameter } from './parameters.ts';

const keys = new Map(Object.keys(descriptions).map((key) => [commandName(key), key as CommandKey]));

/** Names of all commands, in wire spelling. */
export const commandNames = [...keys.keys()];

/** Finds the key of a command by its name in wire spelling. */
export const findCommand = (name: unknown): CommandKey | undefined =>
  typeof name === 'string' ? keys.get(name) : undefined;

const parametersOf = ({ parameters: { properties, required = [] } }: Description): Record<string, string> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description, enum: values = [] }]) => {
      const choices = values.filter((value) => typeof value === 'string' && value !== '') as string[];
      return [
        required.includes(name) ? name : `${name}?`,
        choices.every((choice) => description.includes(choice)) ? description : `${description}: ${choices.join(', ')}`,
      ];
    }),
  );

/**
 * Lists every command, or only the command `of`, with its description and parameters; `?` marks optional parameters.
 * @throws DomainError 422 when there is no command `of`.
 */
export const help = ({ of }: Parameters<'help'>) => {
  if (of !== undefined && !keys.has(of))
    throw invalidParameter('of', `There is no command ${of}; use one of: ${commandNames.join(', ')}`);
  return {
    usage:
      'npm run admin -- <command> --some-parameter value, or invoke the function with {"command": …, "someParameter": …}',
    commands: Object.fromEntries(
      [...keys]
        .filter(([name]) => of === undefined || name === of)
        .map(([name, key]) => [
          name,
          { does: descriptions[key].description, parameters: parametersOf(descriptions[key]) },
        ]),
    ),
  };
};
