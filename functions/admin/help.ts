import type { CommandKey, Description } from '../../shared/schemas/admin-commands.ts';
import { commandName } from '../../shared/schemas/command-name.ts';
import { descriptions } from '../../shared/schemas/compiled/commands.js';

const keys = new Map(Object.keys(descriptions).map((key) => [commandName(key), key as CommandKey]));

export const commandNames = [...keys.keys()];

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

/** Every command with what it does and its parameters; `?` marks those that may be left out. */
export const help = () => ({
  usage: 'npm run admin -- <command> --some-parameter value, or {"command": …, "someParameter": …} to the function',
  commands: Object.fromEntries(
    [...keys].map(([name, key]) => [
      name,
      { does: descriptions[key].description, parameters: parametersOf(descriptions[key]) },
    ]),
  ),
});
