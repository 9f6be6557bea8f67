import { PlainError } from '../../command-line.ts';

/** A command for the admin function. */
export type AdminCommand = { command: string } & Record<string, unknown>;

/** A deployment in AWS. Profile and region default to the environment, as with the AWS command line. */
export interface AdminTarget {
  readonly profile?: string;
  readonly region?: string;
  /** The setting `name` of the deployment. */
  readonly name?: string;
}

const targetOptions = ['profile', 'region', 'name'] as const satisfies readonly (keyof AdminTarget)[];

/**
 * Splits the words after `npm run admin --` into the options before the command, which select a deployment in AWS, and the
 * command. Options after the command belong to the command, which may have a `--name` of its own.
 * @example
 * splitTarget(['--profile', 'prod', 'create-organization', '--name', 'acme']);
 * // { target: { profile: 'prod' }, words: ['create-organization', '--name', 'acme'] }
 * @returns no target for the local service.
 * @throws PlainError when an option is unknown or has no value.
 */
export const splitTarget = (words: readonly string[]) => {
  const target: { -readonly [K in keyof AdminTarget]: string } = {};
  let rest = words;
  while (rest[0]?.startsWith('-') && rest[0] !== '--help') {
    const [, name, inline] = option.exec(rest[0]) ?? [];
    const known = targetOptions.find((each) => each === name);
    const value = inline ?? rest[1];
    if (known === undefined || value === undefined || value === '')
      throw new PlainError(
        `Before the name of a command, ${targetOptions.map((each) => `--${each} <${each}>`).join(', ')} are possible`,
      );
    target[known] = value;
    rest = rest.slice(inline === undefined ? 2 : 1);
  }
  return { ...(rest !== words && { target: target as AdminTarget }), words: rest };
};

/**
 * Parses the words of a command: a single JSON argument, or the name of the command and options.
 *
 * `--some-key value` becomes `someKey`; `--flag` alone is true; `--settings.some-key value` becomes a nested object. A
 * value that starts with `{` or `[` is parsed as JSON. Every other value stays a string, also a number. Without words, the
 * result is the command `help`. `help <command>` and `<command> --help` are the help of one command.
 * @example
 * parseAdminArguments(['create-organization', '--name', 'acme']); // { command: 'create-organization', name: 'acme' }
 * @throws PlainError when a word is not an option, or JSON is not valid.
 */
export const parseAdminArguments = (words: readonly string[]): AdminCommand => {
  const [first, ...options] = words;
  if (first === undefined) return { command: 'help' };
  const helped = options.length === 1 && (first === 'help' ? options[0] : options[0] === '--help' && first);
  if (helped && !option.test(helped)) return { command: 'help', of: helped };
  if (first.startsWith('{')) return parseJson(first, 'The argument') as AdminCommand;
  const command: AdminCommand = { command: first };
  for (let i = 0; i < options.length; i++) {
    const [, path, inline] = option.exec(options[i] ?? '') ?? [];
    // The word itself is not printed, because it may be a secret.
    if (path === undefined) throw new PlainError(`Word ${i + 2} is not an option; options look like --some-key value`);
    const following = options[i + 1];
    const isFlag = inline === undefined && (following === undefined || option.test(following));
    if (!isFlag && inline === undefined) i += 1;
    setValue(command, path.split('.').map(camelCase), isFlag ? true : parseValue(inline ?? following ?? '', path));
  }
  return command;
};

/** `--name` or `--name=value`. The first line of a private key must not match. */
const option = /^--([a-z][\w.-]*)(?:=(.*))?$/is;

const camelCase = (text: string): string => text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const parseValue = (value: string, name: string): unknown =>
  /^[{[]/.test(value) ? parseJson(value, `The value of --${name}`) : value;

const parseJson = (text: string, subject: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new PlainError(`${subject} is not valid JSON: ${text}`);
  }
};

const setValue = (target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void => {
  if (key === '__proto__') throw new PlainError('__proto__ is not an option');
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const nested = Object.hasOwn(target, key) ? target[key] : {};
  if (typeof nested !== 'object' || nested === null)
    throw new PlainError(`${key} is given both as a value and with nested keys`);
  target[key] = nested;
  setValue(nested as Record<string, unknown>, rest, value);
};
