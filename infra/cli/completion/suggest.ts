import type { Command, Group } from '../command.ts';
import { globalFlags } from '../global-flags.ts';
import type { Invocation } from '../invocation.ts';
import type { Parameter, Parameters } from '../parameters.ts';
import { FILES } from './scripts.ts';

/** A text that can follow, with its explanation. */
export interface Suggestion {
  readonly value: string;
  readonly description?: string;
}

/** Meaning of the words before the cursor. */
interface Line {
  /** Words of a command, possibly not all. */
  readonly path: readonly string[];
  readonly command: Command | undefined;
  /** Arguments of the command. */
  readonly args: readonly string[];
  /** Values of flags that every command has. */
  readonly global: Readonly<Record<string, string>>;
  /** The flag whose value follows. */
  readonly pending: Parameter<unknown> | undefined;
  /** Whether no flag can follow. */
  readonly isRest: boolean;
}

const flagsOf = (command: Command | undefined): Parameters => ({ ...command?.flags, ...globalFlags });

const findFlag = (command: Command | undefined, word: string): readonly [string, Parameter<unknown>] | undefined =>
  Object.entries(flagsOf(command)).find(([name, { short }]) => word === `--${name}` || word === `-${short}`);

const readLine = (commands: readonly Command[], words: readonly string[]): Line => {
  const path: string[] = [];
  const args: string[] = [];
  const global: Record<string, string> = {};
  let command: Command | undefined;
  let pending: readonly [string, Parameter<unknown>] | undefined;
  let isRest = false;
  for (const word of words) {
    if (pending !== undefined) {
      global[pending[0]] = word;
      pending = undefined;
    } else if (!isRest && word === '--') isRest = true;
    else if (!isRest && /^-./.test(word)) {
      const [name = '', ...value] = word.split('=');
      const found = findFlag(command, name);
      if (found?.[1].placeholder === undefined) continue;
      if (value.length > 0) global[found[0]] = value.join('=');
      else pending = found;
    } else if (command === undefined) {
      path.push(word);
      command = commands.find(({ name }) => name === path.join(' '));
    } else {
      args.push(word);
      // The other arguments belong to another program.
      isRest ||= command.result.kind === 'program';
    }
  }
  return { path, command, args, global, pending: pending?.[1], isRest };
};

const suggestWords = (table: readonly Group[], path: readonly string[]): readonly Suggestion[] => {
  const found = new Map<string, string>();
  for (const { title, commands } of table) {
    for (const { name, summary } of commands) {
      const words = name.split(' ');
      const word = words[path.length];
      if (word === undefined || !path.every((one, index) => one === words[index]) || found.has(word)) continue;
      found.set(word, words.length === path.length + 1 ? summary : title);
    }
  }
  return [...found].map(([value, description]) => ({ value, description }));
};

const suggestFlags = (command: Command | undefined): readonly Suggestion[] =>
  Object.entries(flagsOf(command)).map(([name, { summary }]) => ({ value: `--${name}`, description: summary }));

/** Suggests fields for `--json=NAME,…`, after those that are there. */
const suggestFields = (command: Command | undefined, typed: string): readonly Suggestion[] => {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const fields: readonly string[] = command?.result.view?.fields ?? [];
  return fields.map((field) => ({ value: before + field }));
};

const suggestValues = async (
  name: string,
  { choices, complete, placeholder }: Parameter<unknown>,
  typed: string,
  args: readonly string[],
  open: () => Invocation,
): Promise<readonly Suggestion[]> => {
  if (choices !== undefined) return choices.map((value) => ({ value }));
  if (complete !== undefined) return (await complete(open(), typed, args)).map((value) => ({ value }));
  return name === 'file' || placeholder === 'FILE' || placeholder === 'PATH' ? [{ value: FILES }] : [];
};

/** The argument that follows the present ones. */
const nextArgument = (command: Command, count: number): readonly [string, Parameter<unknown>] | undefined => {
  const parameters = Object.entries((command.arguments ?? {}) as Parameters);
  const last = parameters.at(-1);
  return parameters[count] ?? (last?.[1].isRepeated ? last : undefined);
};

/**
 * Suggests what can follow. Values of the service come from `Parameter.complete`.
 * @param words of the command line up to the cursor, without the name of the program. The last one is incomplete.
 * @param open opens what commands work with, for the values of the flags that every command has.
 */
export const suggest = async (
  table: readonly Group[],
  words: readonly string[],
  open: (global: Readonly<Record<string, string>>) => Invocation,
): Promise<readonly Suggestion[]> => {
  const typed = words.at(-1) ?? '';
  const line = readLine(
    table.flatMap(({ commands }) => commands),
    words.slice(0, -1),
  );
  const { path, command, args, pending, isRest } = line;
  const find = async (): Promise<readonly Suggestion[]> => {
    const values = (name: string, parameter: Parameter<unknown>, text: string) =>
      suggestValues(name, parameter, text, args, () => open(line.global));
    if (pending !== undefined) return values('', pending, typed);
    const [flag, ...rest] = typed.split('=');
    if (!isRest && flag?.startsWith('--') && rest.length > 0) {
      const text = rest.join('=');
      const parameter = findFlag(command, flag)?.[1];
      const isFields = flag === '--json' || flag === '--csv';
      const found = isFields ? suggestFields(command, text) : parameter && (await values('', parameter, text));
      return (found ?? []).map(({ value }) => ({ value: value === FILES ? FILES : `${flag}=${value}` }));
    }
    if (!isRest && typed.startsWith('-')) return suggestFlags(command);
    if (command === undefined) return suggestWords(table, path);
    const next = nextArgument(command, args.length);
    if (next !== undefined) return values(...next, typed);
    return command.result.kind === 'program' ? [{ value: FILES }] : [];
  };
  // A line break would separate two suggestions.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters in question.
  const isSafe = ({ value }: Suggestion): boolean => !/[\u0000-\u001f\u007f]/.test(value);
  return (await find()).filter(
    (suggestion) => suggestion.value === FILES || (suggestion.value.startsWith(typed) && isSafe(suggestion)),
  );
};
