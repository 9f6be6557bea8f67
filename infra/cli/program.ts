import { CommanderError, Option, Command as Program } from 'commander';
import { RequestShown } from './api.ts';
import type { Command } from './command.ts';
import { groups } from './commands/index.ts';
import { openContext } from './context/context.ts';
import { type ExitCode, type ExitName, exitCodes, exitMeanings, Failure, usageError } from './failure.ts';
import { globalFlags } from './global-flags.ts';
import { openInvocation } from './invocation.ts';
import type { Io } from './io.ts';
import { formatFailure, toFailure } from './output/errors.ts';
import { type Format, readFields, writeResult } from './output/write.ts';
import type { Parameter, Parameters } from './parameters.ts';
import { readPipedNames } from './piped-names.ts';

const NAME = 'holdfast';
const GLOBAL_OPTIONS = 'Global options:';

interface GlobalValues {
  readonly org?: string;
  readonly url?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly jsonFields?: string;
  readonly csvFields?: string;
  readonly curl?: boolean;
}

/**
 * Separates the fields from `--json=NAME,…`, so that `--json` never takes the next argument as its value.
 * Arguments after `--` belong to another program.
 */
const separateFields = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  return [
    ...own.flatMap((argument) => {
      const [, kind, fields] = /^--(json|csv)=(.*)$/s.exec(argument) ?? [];
      return kind === undefined ? [argument] : [`--${kind}`, `--${kind}-fields=${fields}`];
    }),
    ...argv.slice(own.length),
  ];
};

/** Returns the flags of a command as options of commander. */
const toOption = (
  name: string,
  { summary, placeholder, short, choices, isRepeated, isRequired, parse }: Parameter<unknown>,
): Option => {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const option = new Option(placeholder === undefined ? names : `${names} <${placeholder}>`, summary);
  if (isRequired) option.makeOptionMandatory();
  if (placeholder === undefined) return option;
  if (choices !== undefined && !placeholder.includes('|'))
    option.description = `${summary} One of ${choices.join(', ')}.`;
  return option.argParser((value: string, former: readonly unknown[] | undefined) => {
    const parsed = withName(`--${name}`, () => parse(value));
    return (isRepeated ? [...(former ?? []), ...(parsed as readonly unknown[])] : parsed) as readonly unknown[];
  });
};

/** Adds the name of the parameter to the message of a parser. */
const withName = <T>(name: string, parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw error instanceof Failure ? usageError(`${name}: ${error.message}`, error.details.hint) : error;
  }
};

const argumentText = (name: string, { isOptional, isRepeated }: Parameter<unknown>): string => {
  const text = name.toUpperCase() + (isRepeated ? '...' : '');
  return isOptional ? `[${text}]` : `<${text}>`;
};

const readArguments = (parameters: Parameters, values: readonly (string | readonly string[] | undefined)[]) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { parse, fallback, isRepeated }], index) => {
      const value = values[index];
      if (value === undefined || (isRepeated && value.length === 0)) return [name, fallback];
      return [
        name,
        isRepeated
          ? (value as readonly string[]).flatMap((one) => withName(name.toUpperCase(), () => parse(one)))
          : withName(name.toUpperCase(), () => parse(value as string)),
      ];
    }),
  );

const camelCase = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const readFlags = (parameters: Parameters, values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, { fallback }]) => [name, values[camelCase(name)] ?? fallback]),
  );

/** Returns the values of the options of every command. One that stands further behind precedes the others. */
const readGlobalValues = (program: Program): GlobalValues => ({
  ...(program.parent && readGlobalValues(program.parent)),
  ...program.opts<GlobalValues>(),
});

const formatOf = (command: Command, values: GlobalValues): Format => {
  const { json = false, csv = false, jsonFields, csvFields } = values;
  if (json && csv) throw usageError('--json and --csv exclude each other.');
  const kind = json ? 'json' : csv ? 'csv' : 'plain';
  const { result } = command;
  if (!('view' in result)) {
    const selection = jsonFields ?? csvFields;
    if (selection) throw usageError('The result of this command has no fields.');
    return { kind };
  }
  const fields = readFields(jsonFields ?? csvFields, result.view);
  return { kind, ...(fields !== undefined && { fields }) };
};

const examplesText = ({ examples }: Command): string =>
  examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  $ ${NAME} ${line}`).join('\n')}\n`;

const errorsText = ({ errors = {} }: Command): string => {
  const lines = Object.entries(errors).map(([name, text]) => `  ${exitCodes[name as ExitName]}  ${text}`);
  return lines.length === 0 ? '' : `\nExit codes of this command:\n${lines.join('\n')}\n`;
};

const rootText = (): string =>
  `\nRun "${NAME} COMMAND --help" for the arguments, flags and examples of a command.\n\nExit codes:\n${Object.entries(
    exitMeanings,
  )
    .map(([name, text]) => `  ${String(exitCodes[name as ExitName]).padStart(3)}  ${text}`)
    .join('\n')}\n`;

/** Runs a parsed command. */
type Start = (command: Command, args: readonly unknown[], program: Program) => Promise<void>;

/** Names the flag to whose value the service objects. @returns the error itself if it is about something else. */
const nameFlag = ({ flags = {} }: Command, error: unknown): unknown => {
  if (!(error instanceof Failure)) return error;
  const [, path = ''] =
    /^\/data\/(?:attributes|relationships)\/(.+?)(?:\/\d+)?$/.exec(error.details.pointer ?? '') ?? [];
  const attribute = path.replaceAll('/', '-');
  const name = [attribute, attribute.replace(/-id$/, '')].find((candidate) => candidate in flags);
  return name === undefined ? error : new Failure(error.exit, `--${name}: ${error.message}`, error.details);
};

interface Appearance {
  readonly version: string;
  /** Width of help, in characters. */
  readonly width: number;
  /** Prints help, and the version. Default: standard output. */
  readonly writeOut?: (text: string) => void;
  readonly writeErr?: (text: string) => void;
}

/**
 * Builds the parser of the table of commands. Commands inherit the configuration of the program, but not its options.
 * @param isUsed whether a command can be parsed. Others get no parameters, only their place in the list of commands.
 */
export const createProgram = (
  { version, width, ...streams }: Appearance,
  start: Start,
  isUsed: (command: Command) => boolean = () => true,
): Program => {
  const root = new Program(NAME)
    .description('Work with the workspaces, variables and states of Holdfast.')
    .version(version, '--version', 'Print the version.')
    .enablePositionalOptions()
    .addHelpText('after', rootText())
    .addHelpOption(new Option('-h, --help', 'Print help.').helpGroup(GLOBAL_OPTIONS))
    .helpCommand(false)
    .exitOverride()
    .allowExcessArguments(false)
    .configureHelp({ helpWidth: width, sortSubcommands: false, subcommandTerm: (sub) => sub.name() })
    // Failures are printed in one place, as text or as JSON.
    .configureOutput({ ...streams, outputError: () => undefined });
  addGlobalOptions(root);
  const parents = new Map<string, Program>();
  for (const { title, commands } of groups) {
    for (const command of commands) {
      const words = command.name.split(' ');
      const last = words.pop() ?? '';
      const parent = words.reduce((above, word, index) => {
        const path = words.slice(0, index + 1).join(' ');
        const found = parents.get(path);
        if (found !== undefined) return found;
        const created = above.command(word).description(title);
        addGlobalOptions(created);
        parents.set(path, created);
        return created;
      }, root);
      const program = parent.command(last).summary(command.summary);
      if (isUsed(command)) completeCommand(program, command, start);
    }
  }
  for (const parent of parents.values()) {
    parent.summary(`${parent.description()}: ${parent.commands.map((sub) => sub.name()).join(', ')}`);
  }
  return root;
};

/** Adds the options of every command, which may stand before its words, between them and after them. */
const addGlobalOptions = (program: Program): void => {
  for (const [name, parameter] of Object.entries(globalFlags)) {
    program.addOption(toOption(name, parameter).helpGroup(GLOBAL_OPTIONS));
  }
  for (const kind of ['json', 'csv']) program.addOption(new Option(`--${kind}-fields <FIELDS>`).hideHelp());
};

const completeCommand = (program: Program, command: Command, start: Start): void => {
  program.description([command.summary, command.description ?? ''].join('\n\n').trim());
  for (const [name, parameter] of Object.entries(command.arguments ?? {}) as [string, Parameter<unknown>][]) {
    program.argument(argumentText(name, parameter), parameter.summary);
  }
  for (const [name, parameter] of Object.entries(command.flags ?? {}) as [string, Parameter<unknown>][]) {
    program.addOption(toOption(name, parameter));
  }
  addGlobalOptions(program);
  program.addHelpText('after', examplesText(command) + errorsText(command));
  program.action((...received: unknown[]) => start(command, received.slice(0, -2), program));
};

/** Exit codes that do not say which error has prevented the start of a program. */
const startErrors: readonly ExitName[] = ['notExecutable', 'commandNotFound', 'interrupted'];

/** Returns the error with an exit code that cannot be one of the program that was to be started. */
const toStartError = (failure: Failure): Failure =>
  startErrors.includes(failure.exit) ? failure : new Failure('notStarted', failure.message, failure.details);

const SEPARATOR_HINT = 'Write -- before the program.';

/** Requires `--` before a program, so that none of its arguments is taken for one of holdfast. */
const requireSeparator = (argv: readonly string[], received: readonly unknown[]): void => {
  const behind = argv.includes('--') ? argv.length - argv.indexOf('--') - 1 : 0;
  if ((received.at(-1) as readonly string[]).length === behind) return;
  throw usageError('The program has to be separated by two hyphens.', SEPARATOR_HINT);
};

const programNames = groups
  .flatMap(({ commands }) => commands)
  .flatMap(({ name, result }) => (result.kind === 'program' ? [name] : []));

/** Returns the message of the parser as a sentence, without the texts of the user that can be a secret in the wrong place. */
const toSentence = ({ message }: CommanderError): string => {
  const text = message
    .replace(/^error: /, '')
    .replace(/(but got \d+): .*/s, '$1.')
    .replace(/^(unknown option '[^=]*)=.*'/s, "$1'")
    .replaceAll('\n', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Whether arguments contain `--json`, also if they cannot be parsed. */
const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).some((argument) => /^--json(=|$)/.test(argument));
};

/**
 * Runs the command line.
 * @param argv arguments after the name of the program.
 * @returns the exit code.
 */
export const runCommandLine = async (argv: readonly string[], io: Io, version: string): Promise<ExitCode> => {
  const isJson = wantsJson(argv);
  let code: ExitCode = exitCodes.done;
  let startsProgram = false;
  const reportFailure = (error: unknown): ExitCode => {
    const failure = toFailure(error);
    io.stderr.write(formatFailure(failure, isJson));
    return exitCodes[failure.exit];
  };
  const start: Start = async (command, received, program) => {
    const values = readGlobalValues(program);
    if (values.jsonFields === '?') {
      io.stdout.write(`${JSON.stringify(command.result.view?.fields ?? [])}\n`);
      return;
    }
    const format = formatOf(command, values);
    if (startsProgram) requireSeparator(argv, received);
    const parameters = command.arguments ?? {};
    const args = await readPipedNames(io, parameters, readArguments(parameters, received as string[]));
    const flags = readFlags(command.flags ?? {}, program.opts());
    const context = openContext(io, { url: values.url, org: values.org });
    const invocation = openInvocation(io, context, {
      isForProgram: format.kind !== 'plain',
      isShown: values.curl === true,
      reportFailure: (error) => void reportFailure(nameFlag(command, error)),
    });
    try {
      code = await writeResult(io, command, command.run(invocation, args, flags), format);
    } catch (error) {
      throw nameFlag(command, error);
    }
  };
  // The parameters of all commands would take longer than most requests.
  const isUsed = ({ name }: Command): boolean => name.split(' ').every((word) => argv.includes(word));
  const appearance = {
    version,
    width: io.stdout.columns || 100,
    writeOut: (text: string) => void io.stdout.write(text),
    writeErr: (text: string) => void io.stderr.write(text),
  };
  const root = createProgram(appearance, start, isUsed);
  root.hook('preSubcommand', (_, program) => {
    startsProgram = programNames.includes(program.name());
  });
  const endWithFailure = (error: unknown): ExitCode =>
    reportFailure(startsProgram ? toStartError(toFailure(error)) : error);
  try {
    await root.parseAsync(argv.length === 0 ? ['--help'] : separateFields(argv), { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof RequestShown) return exitCodes.done;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode === 0 ? 0 : exitCodes.usage;
      return endWithFailure(
        usageError(
          toSentence(error),
          startsProgram && !argv.includes('--') ? SEPARATOR_HINT : 'Add --help for the accepted arguments.',
        ),
      );
    }
    if (io.signal.aborted) return exitCodes.interrupted;
    return endWithFailure(error);
  } finally {
    io.progress('');
  }
};
